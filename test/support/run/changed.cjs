// Which suites a change concerns: those of the room that a file belongs to, and those that name it, as an import or as
// a path. Jest's --findRelatedTests is no help here: every suite imports the application, so it finds nearly all.
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path').posix;
const { reasonToLeaveOut } = require('./head-comment.cjs');

/** The rooms of test/ for what has none of its own name there. The first row that matches counts. */
const ROOMS = [
  [/^src\/platform\/crypto\//, 'tokens', 'webhooks'],
  [/^src\/entry\/demo\//, 'cli'],
  [/^src\/(platform\/feature|service\.module)/, 'repository', 'docs'],
  [/^src\/entry\/health\//, 'http', 'process'],
  [/^src\/entry\/testing\//, 'embedding'],
  [/^src\/platform\/issuers\//, 'oauth', 'sign-in'],
  [/^src\/cli\.ts/, 'cli'],
  [/^src\/(index|service\.options)\.ts/, 'embedding'],
  [/^(migrations\/|src\/(schema|data-source)\.ts)/, 'database'],
  [/^src\/[^/]+\.ts/, 'process'],
  [/^client\//, 'client'],
  [/^csv\//, 'cli'],
  [/^dashboard\//, 'dashboard'],
  [/^(docs\/|examples\/|.*\.md$)/, 'repository', 'docs'],
  [/^(openapi\.json|scripts\/openapi|swagger-ui\/)/, 'docs'],
  [/^(deploy|scripts|\.github)\/|^(package(-lock)?\.json|Dockerfile|compose\.yaml)$/, 'repository'],
];

/** The suites to run; those that a short run leaves out, each with the reason; and the files that concern none. */
function suitesFor(changed) {
  const suites = readdirSync('test', { recursive: true })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => ({ path: `test/${name}`, names: namesIn(`test/${name}`) }));
  const concerned = new Set();
  const unknown = [];
  for (const file of changed) {
    const rooms = roomsOf(file);
    const found = suites.filter(
      ({ path, names }) =>
        path === file || names.has(nameOf(file)) || rooms.some((room) => path.startsWith(`test/${room}/`)),
    );
    for (const { path } of found) concerned.add(path);
    if (found.length === 0) unknown.push(file);
  }
  // A suite that is only for the embedded database runs on any: the other engines need not repeat it.
  const reasons = new Map([...concerned].map((path) => [path, reasonToLeaveOut(path, 'embedded')]));
  const isLeftOut = (path) => reasons.get(path) !== undefined && !changed.includes(path);
  const all = [...concerned].sort();
  return {
    suites: all.filter((path) => !isLeftOut(path)),
    leftOut: all.filter(isLeftOut).map((path) => ({ path, reason: reasons.get(path) })),
    unknown,
  };
}

/** The rooms of src/platform/ and src/entry/ are in test/ itself. A folder that test/ lacks belongs to its room. */
function roomsOf(file) {
  const inTest = file.replace(/^src\/(platform\/|entry\/)?/, 'test/');
  for (let room = dirname(inTest); room.startsWith('test/'); room = dirname(room))
    if (file.startsWith('src/') && existsSync(room)) return [room.replace('test/', '')];
  return ROOMS.find(([pattern]) => pattern.test(file))?.slice(1) ?? [];
}

/** What a suite names in quotes: imports, from its folder, and paths, from that of the project. */
const namesIn = (path) =>
  new Set(
    [...readFileSync(path, 'utf8').matchAll(/'([^'\n]+)'/g)].map(([, name]) =>
      nameOf(name.startsWith('.') ? join(dirname(path), name) : name),
    ),
  );

/** As imports say it. */
const nameOf = (file) => file.replace(/\.tsx?$/, '').replace(/\/index$/, '');

module.exports = { suitesFor };
