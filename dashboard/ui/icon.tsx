/** The paths of the icons, in a square of 16. */
const PATHS = {
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  users: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c0-2.5 2.2-4 5-4s5 1.5 5 4',
  tokens: 'M6 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7.8 8.2 13.5 2.5M11 5l2 2',
  groups:
    'M5.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM1.5 13c0-2.2 1.7-3.5 4-3.5s4 1.3 4 3.5M10.5 3.2a2 2 0 0 1 0 3.6M11.5 9.8c1.8.3 3 1.4 3 3.2',
  webhooks: 'M2.5 8h3l2-4.5 2 9 2-4.5h2',
  activity: 'M8 4.5V8l2.5 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
  deleted: 'M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.7 9h6.6l.7-9',
  settings: 'M2.5 4.5h5M11 4.5h2.5M9 6V3M2.5 11.5H5M8.5 11.5h5M7 13v-3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3',
  docs: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5 6.5 12 13 4.5',
  plus: 'M8 3v10M3 8h10',
  edit: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3zM9.5 4.2l2.3 2.3',
  upload: 'M8 10.5v-8M4.5 5.5 8 2.5l3.5 3M2.5 10.5v3h11v-3',
  download: 'M8 2.5v8M4.5 7.5 8 10.5l3.5-3M2.5 10.5v3h11v-3',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  previous: 'M10 3 5 8l5 5',
  next: 'M6 3l5 5-5 5',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.6A5.5 5.5 0 1 1 6.4 3a4.4 4.4 0 0 0 6.6 6.6z',
  system: 'M2 3h12v8H2zM6 13.5h4',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
