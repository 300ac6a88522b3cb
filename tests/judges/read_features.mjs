// Reads features with the official parser; prints their scenarios with names, descriptions, steps and examples.
import {AstBuilder, GherkinClassicTokenMatcher, Parser} from "@cucumber/gherkin";
import {IdGenerator} from "@cucumber/messages";
let text = ""; for await (const part of process.stdin) text += part;
const lines = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
const cells = (row) => row.cells.map(({value}) => value);
const said = JSON.parse(text).map((feature) => {
  const parser = new Parser(new AstBuilder(IdGenerator.incrementing()), new GherkinClassicTokenMatcher());
  const found = parser.parse(feature).feature;
  const flat = [];
  const visit = (children, rule, before, tags) => {
    let steps = before;
    for (const {background, scenario, rule: inner} of children) {
      if (background) steps = [...steps, ...background.steps];
      if (inner) visit(inner.children, [inner.name, ...lines(inner.description)], steps, [...tags, ...inner.tags]);
      if (scenario) flat.push({
        name: scenario.name, rule, description: lines(scenario.description),
        tags: [...tags, ...scenario.tags].map(({name}) => name).filter((name) => !/^@(AC-|TC-|stated|integration|unit|positive|negative)/.test(name)).sort(),
        steps: [...steps, ...scenario.steps].map(({keyword, text, dataTable, docString}) =>
          ({kind: keyword.trim(), text, table: dataTable?.rows.map(cells), doc: docString?.content, type: docString?.mediaType})),
        examples: scenario.examples.map((one) => ({name: one.name, description: lines(one.description),
          tags: one.tags.map(({name}) => name), rows: [one.tableHeader, ...one.tableBody].map(cells)})),
      });
    }
  };
  visit(found.children, [], [], found.tags);
  return {name: found.name, description: lines(found.description), scenarios: flat};
});
console.log(JSON.stringify(said));
