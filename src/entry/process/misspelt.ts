import { nearName } from '../../platform/http/input/near-name';

/** With a shorter name, such as HOST, too many others have only one letter that differs. */
const MIN_LETTERS = 5;

/** What Kubernetes sets for each Service of the namespace, such as one that is called `webhook`. */
const OF_A_SERVICE = /_SERVICE_(HOST|PORT)$|_SERVICE_PORT_|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/;
const ADDRESS_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//;

const wordOf = (name: string) => /^[A-Z]+_/.exec(name)?.[0];

/** The first words that several settings share, except the one with which platforms name their databases, too. */
function ownWords(known: readonly string[]): Set<string | undefined> {
  const words = known.filter((name) => !name.endsWith('_FILE')).map(wordOf);
  const shared = words.filter((word, index) => words.indexOf(word) !== index);
  return new Set(shared.filter((word) => word !== undefined && word !== 'DATABASE_'));
}

/** A sentence about each variable that looks like a setting and is none. It has no value, which may be a secret. */
export function misspelt(env: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const words = ownWords(known);
  const unset = known.filter((name) => name.length >= MIN_LETTERS && !env[name]);
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (value === '' || known.includes(name)) return [];
    if (OF_A_SERVICE.test(name) || ADDRESS_OF_A_SERVICE.test(value)) return [];
    const near = nearName(name, unset);
    if (near === undefined && !words.has(wordOf(name))) return [];
    const advice = near === undefined ? '' : ` Did you mean ${near}?`;
    return [`${name} is not a setting of this service and has no effect.${advice}`];
  });
}
