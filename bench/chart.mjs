// Draws a bar chart of requests per second as SVG, legible on light and dark backgrounds.
const COLORS = ['#2563eb', '#60a5fa', '#a5b4fc', '#9ca3af', '#d1d5db', '#f59e0b'];
const [WIDTH, BAR, GAP, LEFT] = [860, 14, 26, 120];

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** For each scenario, the requests per second of each server relative to hand-written Express. */
export function chart(caption, scenarios) {
  const compared = Object.entries(scenarios).filter(([, servers]) => servers['hand-written Express']);
  // Servers that run only some scenarios appear in the tables alone.
  const names = Object.keys(compared[0][1]);
  const ratio = (servers, name) => servers[name].rps / servers['hand-written Express'].rps;
  const longest = Math.max(...compared.flatMap(([, servers]) => names.map((name) => ratio(servers, name))));
  const scale = (WIDTH - LEFT - 130) / longest;
  const parts = [];
  names.forEach((name, i) => {
    const x = 10 + (i % 3) * 280;
    const y = 34 + Math.floor(i / 3) * 22;
    parts.push(
      `<rect x="${x}" y="${y}" width="12" height="12" fill="${COLORS[i]}"/><text x="${x + 18}" y="${y + 11}">${escaped(name)}</text>`,
    );
  });
  let y = 90;
  for (const [scenario, servers] of compared) {
    parts.push(
      `<text x="10" y="${y + (names.length * BAR) / 2 + 4}" font-weight="bold">${escaped(scenario)}</text>`,
    );
    names.forEach((name, i) => {
      const value = ratio(servers, name);
      const width = Math.max(1, value * scale);
      parts.push(
        `<rect x="${LEFT}" y="${y + i * BAR}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${COLORS[i]}"/>`,
        `<text x="${(LEFT + width + 6).toFixed(1)}" y="${y + i * BAR + 10}" font-size="11">${value.toFixed(2)} × · ${servers[name].rps.toFixed(0)}/s</text>`,
      );
    });
    y += names.length * BAR + GAP;
  }
  const height = y + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Requests per second relative to hand-written Express">
<style>text{fill:#1f2937}rect.paper{fill:#fff}@media (prefers-color-scheme:dark){text{fill:#e5e7eb}rect.paper{fill:#0d1117}}</style>
<rect class="paper" width="${WIDTH}" height="${height}"/>
<text x="10" y="20" font-weight="bold">Requests per second relative to hand-written Express (1.00)</text>
${parts.join('\n')}
<text x="10" y="${height - 10}" font-size="11">${escaped(caption)}</text>
</svg>
`;
}
