// The end of a run: a table of what ran and what it cost, and what was left out.

const COLUMNS = ['step', 'suites', 'tests', 'failed', 'skipped', 'CPU s', 'wall s'];

/** Prints the table of the rows { name, suites, passed, failed, skipped, cpuSeconds, wallSeconds }. */
export function printReport(rows, leftOut) {
  const sum = (field) => rows.reduce((total, row) => total + (row[field] ?? 0), 0);
  const total = { name: 'all' };
  for (const field of ['suites', 'passed', 'failed', 'skipped', 'cpuSeconds', 'wallSeconds'])
    total[field] = sum(field);
  const cells = [...rows, total].map((row) => [
    row.name,
    row.suites || '',
    row.passed + row.failed || '',
    row.failed || '',
    row.skipped || '',
    Math.round(row.cpuSeconds),
    Math.round(row.wallSeconds),
  ]);
  process.stdout.write('\n');
  for (const [name, ...figures] of [COLUMNS, ...cells])
    process.stdout.write(
      `${String(name).padEnd(10)}${figures.map((figure) => String(figure).padStart(9)).join('')}\n`,
    );
  if (leftOut.length > 0)
    process.stdout.write(`\nLeft out:\n${leftOut.map((line) => `  ${line}\n`).join('')}`);
  process.stdout.write(`\nTests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
}
