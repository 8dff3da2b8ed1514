import { createKept } from '../../ui/kept.ts';

/** The columns that a person has turned on or off. The others are shown where they are of use. */
export type Choice = Readonly<Record<string, boolean>>;

const parse = (text: string): Choice =>
  Object.fromEntries(
    Object.entries(JSON.parse(text) as object).filter(([, isOn]) => typeof isOn === 'boolean'),
  );

export const choice = createKept<Choice>('columns', {}, parse, JSON.stringify);

export const chooseColumn = (name: string, isOn: boolean) => choice.choose({ ...choice.get(), [name]: isOn });
