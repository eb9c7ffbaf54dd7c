"""What the lessons stand on, without a page: one problem, worked examples, exercises, formats.

    problem.py            one chain's names and scores as plain data; its edits, checks, files and
                          links in problem_edits.py, problem_checks.py, problem_files.py,
                          problem_links.py
    numbers.py            how a number is written, and read when it was typed
    examples/, reading.py worked examples, each with what it shows; a chain read by its tags' names
    brute_force.py        every path, one by one, and what that costs
    exercises.py          questions with fresh numbers; exercise_answers.py, exercise_sheet.py
    diagnosis.py          what went wrong in a column that a learner filled in; faults.py
    latex.py              equations and tables to paste into a paper

Nothing here imports PyTorch until a chain is asked for. The core does not import this package.
"""
