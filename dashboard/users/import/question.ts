import type { LeaveQuestion } from '../../ui/dialog.tsx';

/** Asked before a file is left that has not been imported yet. */
export const questionAbout = (name: string): LeaveQuestion => ({
  title: 'Leave the import?',
  text: `${name} has not been imported yet. It stays here, with what you chose for its columns, until you sign out.`,
  stay: 'Stay',
  leave: 'Leave',
  isHarmless: true,
});
