# language: en
@shop
Feature: Basket
  What a shopper puts together before paying.
  It is kept for a month.

  Background:
    Given the books:
      | title | note       |
      | Emma  | a \| b \\ c |

  @slow
  Scenario: Empty it
    Nothing is asked.

    Given  two  blanks stay
    When I empty it
    Then it is empty
    When I undo that
    Then I see
      """markdown
      # Basket

        1 book


      ```sh
      \"\"\"
      """
    But not more than 1 book

  Scenario Outline: Lend <count>
    * I lend <count> books
    Then I have <count> books

    @few
    Examples: Few
      Usual ones.

      | count |
      | 1     |
      | a\nb  |
