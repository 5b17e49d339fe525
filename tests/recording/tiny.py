"""The smallest problem file to record on: one line, a seed for each repetition."""


def problem_text(seeds: list[int]) -> str:
    return f"""
schema: 1
name: tiny
problems:
  - dataset: line
    features: [x1]
    data_seeds: {seeds}
    data: {{generator: noise_2022, arguments: {{ratio: 0.0}}}}
"""
