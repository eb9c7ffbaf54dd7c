"""How well one colour can be read on another."""


def luminance(colour):
    """The relative luminance of WCAG 2.2: of "#rrggbb", "#rgb", or three numbers to 255."""
    if isinstance(colour, str):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
        channels = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    else:
        channels = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    """The contrast ratio of WCAG 2.2."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
