// How slow the machine is at the moment.

const TEXT = JSON.stringify(
  Array.from({ length: 20_000 }, (_, n) => ({ id: `usr_${n}`, values: [n, true, null, 'é'] })),
);

/** What parsing the text takes where the bound of a turn holds as it is. */
const USUAL_MS = 7;

/** The factor by which work takes longer than usual: 1 or more. */
function slowness() {
  const times = Array.from({ length: 10 }, () => {
    const before = process.cpuUsage();
    JSON.parse(TEXT);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(1, Math.min(...times) / USUAL_MS);
}

/** Whether something has taken longer than it may, also on a machine that is as slow as this one is. */
export const isOver = (ms, max) => ms > max && ms > max * slowness();
