const words = (text: string) => text.split(' ');

// Deterministic sample people for the demo and the benchmarks: a few names are very common, most are rare.
const FIRST = words(
  `James Mary John Patricia Robert Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy Matthew Betty Anthony Margaret Mark Sandra Donald Ashley Steven Kimberly Paul Emily Andrew Donna Joshua Michelle Kenneth Dorothy Kevin Carol Brian Amanda George Melissa Edward Deborah Ronald Stephanie Timothy Rebecca Jason Sharon Jeffrey Laura Ryan Cynthia Jacob Kathleen Gary Amy Nicholas Shirley Eric Angela Jonathan Helen Stephen Anna Larry Brenda Justin Pamela Scott Nicole Brandon Samantha Benjamin Katherine Samuel Emma Gregory Ruth Frank Christine Alexander Catherine Raymond Debra Patrick Rachel Jack Carolyn Dennis Janet Jerry Virginia José María Jürgen Søren Zoë Chloé Łukasz İbrahim Ayşe Björn Renée Núria Müge Ángel François Siân Yuki Haruto Wei Ming Priya Arjun Fatima Omar Olga Dmitri Ingrid Lars Ada Grace Ulrike Uwe Quentin Xavier Yolanda Zbigniew`,
);
const LAST = words(
  `Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Øster Lindqvist Åkesson Dvořák Novák Kowalski Wójcik Yılmaz Kaya Demir Şahin Çelik O'Brien O'Connor MacDonald Fitzgerald Papadopoulos Ivanov Petrov Tanaka Suzuki Kim Park Choi Singh Kumar Patel Sharma Silva Santos Ferreira Costa`,
);
const SYLLABLES = words(
  'ba be bo da de di do fa fen fi ga gar go ha hel hi jo ka ken ki la len lo ma mar mi na nor no pa per po ra ren ri sa sen sto ta ten to va vel vi wa wen wi za zel zo quist burg stein dorf wick ton ham ley son sen ski man berg feld',
);
const CITIES = words(
  'Berlin London Paris Madrid Lisbon Vienna Prague Warsaw Oslo Stockholm Helsinki Dublin Athens Rome Milan Zürich Geneva Brussels Amsterdam Copenhagen Istanbul Ankara Tokyo Osaka Seoul Mumbai Delhi Sydney Toronto Chicago',
);
const TEAMS = words(
  'platform billing growth support research design security sales marketing legal operations finance data mobile infrastructure',
);

/** A random number generator that returns the same numbers for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A random item of the list. */
export const pick = <Item>(next: () => number, list: readonly Item[]): Item =>
  list[Math.floor(next() * list.length)];

/** A random item of the list, the first ones much more often than the last. */
const pickSkewed = <Item>(next: () => number, list: readonly Item[]): Item =>
  list[Math.floor(next() ** 2 * list.length)];

const capitalized = (word: string) => word[0].toUpperCase() + word.slice(1);

function lastName(next: () => number): string {
  if (next() < 0.6) return pickSkewed(next, LAST);
  return capitalized(
    Array.from({ length: 2 + Math.floor(next() * 2) }, () => pick(next, SYLLABLES)).join(''),
  );
}

const ascii = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

/** The n-th person, always the same for the same n, with a unique email address. */
export function person(n: number) {
  const next = random(n * 2654435761);
  const first = pickSkewed(next, FIRST);
  const middle = next() < 0.15 ? ` ${pick(next, FIRST)}` : '';
  const last = lastName(next);
  const local = next() < 0.7 ? `${ascii(first)}.${ascii(last)}` : `${ascii(last)}${ascii(first).slice(0, 1)}`;
  const domain =
    next() < 0.6
      ? 'example.com'
      : `${pick(next, SYLLABLES)}${pick(next, SYLLABLES)}.example.${pick(next, ['com', 'org', 'net'])}`;
  return {
    name: `${first}${middle} ${last}`,
    email: `${local}${n}@${domain}`,
    role: next() < 0.02 ? 'admin' : next() < 0.2 ? 'viewer' : 'member',
    active: n % 25 !== 24,
    metadata: {
      city: pickSkewed(next, CITIES),
      team: pick(next, TEAMS),
      badge: `B${Math.floor(next() * 1e6)}`,
    },
  };
}
