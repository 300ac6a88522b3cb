// Renders the diagrams of diagrams.json with Mermaid in Chromium; prints the nodes, groups, edges and texts of each, or the error.
const { chromium } = require('playwright-core'), fs = require('fs');
(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'] });
  const page = await browser.newPage();
  await page.setContent('<body></body>');
  await page.addScriptTag({ path: process.argv[3] });
  const result = await page.evaluate(async (diagrams) => {
    mermaid.initialize({ startOnLoad: false, maxTextSize: 1e7, maxEdges: 100000 });
    const out = [];
    for (const [at, text] of diagrams.entries()) {
      try {
        const { svg } = await mermaid.render('d' + at, text);
        const box = document.createElement('div');
        box.innerHTML = svg;
        const texts = (query) => [...box.querySelectorAll(query)].map((node) => node.textContent.trim());
        const count = (query) => box.querySelectorAll(query).length;
        out.push({ nodes: count('g.node') + count('rect.actor-top') + count('g.actor-man.actor-top'), groups: count('g.cluster'), edges: count('path.flowchart-link') + count('path.relationshipLine') + count('.messageLine0, .messageLine1'), text: texts('.nodeLabel, .edgeLabel, text, foreignObject').join('\n') });
      } catch (error) { out.push({ error: String(error) }); }
    }
    return out;
  }, JSON.parse(fs.readFileSync('diagrams.json', 'utf8')));
  console.log(JSON.stringify(result));
  await browser.close();
})();
