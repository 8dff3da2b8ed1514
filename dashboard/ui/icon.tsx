/** The paths of the icons of the navigation, in a square of 16. */
const PATHS = {
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  users: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c0-2.5 2.2-4 5-4s5 1.5 5 4',
  tokens: 'M6 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7.8 8.2 13.5 2.5M11 5l2 2',
  groups:
    'M5.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM1.5 13c0-2.2 1.7-3.5 4-3.5s4 1.3 4 3.5M10.5 3.2a2 2 0 0 1 0 3.6M11.5 9.8c1.8.3 3 1.4 3 3.2',
  webhooks: 'M2.5 8h3l2-4.5 2 9 2-4.5h2',
  activity: 'M8 4.5V8l2.5 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
  deleted: 'M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.7 9h6.6l.7-9',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3',
  docs: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5',
} as const;

export const Icon = ({ name }: { name: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name as keyof typeof PATHS]} />
  </svg>
);
