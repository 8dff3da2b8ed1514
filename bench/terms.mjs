// Search terms of several kinds, drawn at random from the people of the demo; the same ones each time.
import { createRequire } from 'node:module';

const { person, pick, random } = createRequire(import.meta.url)('../dist/src/demo/people.js');

/** Draws `count` terms of each kind, with the organizations to search. The database has the first `users` people. */
export function draw({ organizations: tenants, users, seed }, count) {
  const next = random(seed);
  return Object.entries(kinds(next, users)).map(([kind, term]) => {
    const drawn = Array.from({ length: count }, () => ({ organization: pick(next, tenants), q: term() }));
    return [kind, drawn.filter(({ q }) => [...q.trim()].length >= 2)];
  });
}

/** Kinds of search terms, drawn at random from the existing users. */
function kinds(next, users) {
  const anybody = () => person(Math.floor(next() * users));
  const wordsOf = (text) =>
    text
      .toLowerCase()
      .split(/[^\p{L}]+/u)
      .filter((word) => word.length >= 4);
  const typo = (word) => {
    const at = 1 + Math.floor(next() * (word.length - 2));
    return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
  };
  const part = (text, length) => {
    const at = Math.floor(next() * Math.max(1, text.length - length));
    return text.slice(at, at + length);
  };
  const letters = (length) => () => part(pick(next, wordsOf(anybody().name).concat('ada')), length);
  return {
    'rare word': () => anybody().metadata.badge,
    'common word': () => pick(next, anybody().name.split(' ')),
    'in nearly every row': () =>
      pick(next, ['com', 'example', 'exam', 'usr', 'ampl', '.com', 'usr_0', 'e.com']),
    'two letters': letters(2),
    'three letters': letters(3),
    typo: () => typo(pick(next, wordsOf(anybody().name).concat('platform'))),
    'two words': () => {
      const [first, ...rest] = anybody().name.split(' ');
      return next() < 0.5 ? `${first} ${rest.at(-1)}` : `${rest.at(-1)} ${first}`;
    },
    'email fragment': () => part(anybody().email, 5 + Math.floor(next() * 8)),
    'metadata value': () => pick(next, [anybody().metadata.city, anybody().metadata.team]),
    'no match': () => Array.from({ length: 7 }, () => pick(next, [...'bcdfghjkqvwxz'])).join(''),
  };
}
