"""How hypothesis runs: any time it takes, and the same examples every time where CI is set."""

import os

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "local", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile(  # for the mutants: that a test fails is enough, no smallest example
    "quick", settings.get_profile("ci"), max_examples=25, phases=[Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "local"))
