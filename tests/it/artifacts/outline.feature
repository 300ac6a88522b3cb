@US-0007
Feature: Login

  Background:
    Given a user "ada"

  # tried with each
  @slow
  Scenario Outline: Wrong <kind>
    When <kind> is typed as <value>
    Then access is refused

    Examples: usual
      | kind     | value |
      | password | a\|b\\  |
      | name     |       |

    Examples:
      | kind | value |
      | pin  | 0000  |
