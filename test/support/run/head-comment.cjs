// A suite says in the comment that it begins with which engines do not run it, and why:
//
//     /**
//      * @slow <why>               only a server does
//      * @only <engine …>: <why>   only these do
//      */
const { readFileSync } = require('node:fs');

const commentOf = (path) => /^\/\*\*[^]*?\*\//.exec(readFileSync(path, 'utf8'))?.[0] ?? '';

const isSlow = (path) => commentOf(path).includes('@slow');

/** Why an engine does not run a suite; undefined if it does. */
function reasonToLeaveOut(path, engine) {
  const comment = commentOf(path);
  const slow = /@slow (.+)/.exec(comment)?.[1];
  if (slow && engine === 'embedded') return `slow: ${slow}`;
  const [, engines, why] = /@only ([^:]+): (.+)/.exec(comment) ?? [];
  return !engines || engines.split(' ').includes(engine) ? undefined : why;
}

module.exports = { isSlow, reasonToLeaveOut };
