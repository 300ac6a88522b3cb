// Parses features; prints for each the names and steps of its scenarios, or the error.
import {AstBuilder, GherkinClassicTokenMatcher, Parser} from "@cucumber/gherkin";
import {IdGenerator} from "@cucumber/messages";
let text = ""; for await (const part of process.stdin) text += part;
const said = JSON.parse(text).map((feature) => {
  try {
    const parser = new Parser(new AstBuilder(IdGenerator.incrementing()), new GherkinClassicTokenMatcher());
    const found = parser.parse(feature).feature;
    return found.children.map(({scenario}) => ({
      id: scenario.tags[0].name.slice(1), name: scenario.name, tags: scenario.tags.slice(1).map((tag) => tag.name.slice(1)),
      steps: scenario.steps.map((step) => step.text),
    }));
  } catch (error) { return String(error); }
});
console.log(JSON.stringify(said));
