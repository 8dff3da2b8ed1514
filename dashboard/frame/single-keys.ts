import { createKept, oneOf } from '../ui/kept.ts';

/** Whether single letters are shortcuts. Speech input and unsteady hands may press them by accident. */
export const singleKeys = createKept('single-keys', 'on', oneOf(['on', 'off']));
