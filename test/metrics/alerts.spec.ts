import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const RULES = 'deploy/components/alerts/prometheus-rule.yaml';
const TESTS = 'test/metrics/alerts.promtool.yaml';

interface Alert {
  alert: string;
  annotations: { runbook_url: string };
}
interface Case {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

const doc = readFileSync('docs/operations.md', 'utf8');
const { spec } = parse(readFileSync(RULES, 'utf8')) as { spec: { groups: { rules: Alert[] }[] } };
const rules = spec.groups.flatMap((group) => group.rules);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ums-alerts-'));
  const [, command] = /^(sed .*) >alerts\.yaml$/m.exec(doc)!;
  execFileSync('sh', ['-ec', `${command} >${directory}/alerts.yaml`]);
  copyFileSync(TESTS, join(directory, 'tests.yaml'));
  const [, config] = /^```yaml\n(scrape_configs:[^`]*)```$/m.exec(doc)!;
  // The promtool of Debian knows no Kubernetes.
  const elsewhere = config.replace('kubernetes_sd_configs:\n      - role: pod', 'static_configs: []');
  writeFileSync(join(directory, 'prometheus.yaml'), elsewhere);
});
afterAll(() => rmSync(directory, { recursive: true }));

it('docs/operations.md has a command that makes a file of the rules', () => {
  expect(parse(readFileSync(join(directory, 'alerts.yaml'), 'utf8'))).toEqual(spec);
});

it('every alert names its heading in docs/operations.md, at the address that the component sets', () => {
  const { configMapGenerator } = parse(readFileSync('deploy/components/alerts/kustomization.yaml', 'utf8'));
  const [, base] = /^url=(.*)$/.exec(configMapGenerator[0].literals[0])!;
  const headings = [...doc.matchAll(/^#### (UserManagement\w+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
    headings.map((heading) => `${base}#${heading.toLowerCase()}`),
  );
});

it('every alert has a test in which it fires and one in which it does not', () => {
  const { tests } = parse(readFileSync(TESTS, 'utf8')) as { tests: Case[] };
  const cases = tests.flatMap((test) => test.alert_rule_test);
  const tested = (fires: boolean) => [
    ...new Set(cases.filter((one) => one.exp_alerts.length > 0 === fires).map(({ alertname }) => alertname)),
  ];
  const alerts = rules.map(({ alert }) => alert);
  expect(tested(true)).toEqual(alerts);
  expect(tested(false)).toEqual(alerts);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) process.stderr.write('promtool is not installed; the tests of the alerts are skipped.\n');

(hasPromtool ? it : it.skip).each([
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'tests.yaml'],
  ['check', 'config', 'prometheus.yaml'],
])('promtool %s %s %s', (verb, what, file) => {
  const { status, stdout, stderr } = spawnSync('promtool', [verb, what, join(directory, file)], {
    encoding: 'utf8',
  });
  expect({ status, output: stdout + stderr }).toEqual({
    status: 0,
    output: expect.stringContaining('SUCCESS'),
  });
});
