import { createKept } from '../ui/kept.ts';

type Choice = 'on' | 'off';

/** Whether single letters are shortcuts. Speech input and unsteady hands may press them by accident. */
export const singleKeys = createKept<Choice>('single-keys', 'on', (text): text is Choice =>
  ['on', 'off'].includes(text),
);
