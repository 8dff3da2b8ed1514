// Attacks that read: searches, deep pages, large pages, many at once.
const SEARCHES = {
  'two marks': '? !',
  'names of one character': '龘 齉',
  'pairs of letters that nobody has': 'zq 7x 3k',
  'ten words': 'ada grace lee kim tom eva max ben leo mia',
  'two typos': 'jonh smtih',
  'a word in every email': 'example',
};

const search = (q) => `/search?q=${encodeURIComponent(q)}`;

const searches = Object.entries(SEARCHES).map(([what, q]) => [
  `16 searches a second for ${what}: ${q}`,
  {
    organization: 'large',
    embedded: what === 'two marks',
    control: (a) => a.rate(16, () => a.get(search('smith'))),
    attack: (a) => a.rate(16, () => a.get(search(q))),
  },
]);

const LISTS = ['name', 'email', 'createdAt', 'updatedAt'].flatMap((sort) =>
  ['asc', 'desc'].map((order) => `?role=viewer&limit=200&sort=${sort}&order=${order}`),
);

/** The paths of the last pages of a list. */
async function lastPages(a, list) {
  const paths = [];
  for (let cursor = ''; cursor !== null;) {
    paths.push(cursor === '' ? list : `${list}&cursor=${cursor}`);
    const { text } = await a.get(paths.at(-1));
    cursor = JSON.parse(text).nextCursor;
  }
  return paths.slice(-4);
}

export const READS = {
  ...Object.fromEntries(searches),
  '16 deep pages of a role a second, in every order': {
    organization: 'large',
    prepare: async (a) => (await Promise.all(LISTS.map((list) => lastPages(a, list)))).flat(),
    control: (a) => a.rate(16, () => a.get('?role=viewer&limit=1')),
    attack: (a, paths) => a.rate(16, (n) => a.get(paths[n % paths.length])),
  },
  '16 pages of a rare role a second, in every order': {
    organization: 'rare',
    control: (a) => a.rate(16, () => a.get('?limit=1')),
    attack: (a) => a.rate(16, (n) => a.get(LISTS[n % LISTS.length])),
  },
  '16 pages of 1 MB a second': {
    organization: 'heavy',
    control: (a) => a.rate(16, () => a.get('?limit=1')),
    attack: (a) => a.rate(16, () => a.get('?limit=200')),
  },
  'bursts of 300 lists a second': {
    tokens: 3,
    organization: 'large',
    control: (a) => a.rate(300, () => a.get('?limit=20')),
    attack: (a) => a.burst(300, () => a.get('?limit=20')),
  },
};
