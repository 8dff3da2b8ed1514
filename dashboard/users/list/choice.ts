import { createStore } from '../../store.ts';

/** The columns that a person has turned on or off. The others are shown where they are of use. */
export type Choice = Readonly<Record<string, boolean>>;

const KEY = 'columns';

function read(): Choice {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as object;
    return Object.fromEntries(Object.entries(kept).filter(([, isOn]) => typeof isOn === 'boolean'));
  } catch {
    return {}; // the browser may forbid storage, and others may write to it
  }
}

export const choice = createStore<Choice>(read());

/** Keeps in this browser what was chosen. */
export function chooseColumn(name: string, isOn: boolean): void {
  choice.set({ ...choice.get(), [name]: isOn });
  try {
    localStorage.setItem(KEY, JSON.stringify(choice.get()));
  } catch {
    // it applies until the page is closed
  }
}
