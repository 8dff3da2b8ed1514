import { readFileSync } from 'node:fs';

interface Dashboard {
  templating: { list: { name: string; multi?: boolean; includeAll?: boolean }[] };
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
}

const { templating, panels } = JSON.parse(
  readFileSync('deploy/components/grafana-dashboard/dashboard.json', 'utf8'),
) as Dashboard;
const targets = panels.flatMap((panel) => panel.targets);

it('the dashboard lets one choose namespaces and pods', () => {
  const choices = templating.list.filter(({ multi, includeAll }) => multi && includeAll);
  expect(choices.map(({ name }) => name)).toEqual(['namespace', 'pod']);
});

it('every series of the dashboard is of the chosen namespaces and pods, and each line names its namespace', () => {
  const series = targets.flatMap(({ expr }) => expr.match(/\b(?:ums|nodejs|process)_\w+(?:\{[^}]*\})?/g)!);
  expect(series.length).toBeGreaterThanOrEqual(targets.length);
  const chosen = 'namespace=~"$namespace",pod=~"$pod"}';
  expect(series.filter((one) => !one.endsWith(chosen))).toEqual([]);
  const grouped = targets.filter(({ expr }) => /\b(?:sum|max)\b/.test(expr));
  expect(grouped.filter(({ expr }) => !/\bby \((?:le, )?namespace\b/.test(expr))).toEqual([]);
  expect(targets.filter(({ legendFormat }) => !legendFormat.startsWith('{{namespace}} '))).toEqual([]);
});
