/** Text as HTML, in element content and in quoted attributes. */
export const escape = (text: unknown) =>
  String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A line of Markdown as HTML: text and code. */
export const inline = (text: string) => escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Markdown as HTML: paragraphs and, below an `h1`, headings, which can be linked to. */
export const markdown = (text: string) =>
  text
    .split('\n\n')
    .map((block) => {
      const heading = /^## (.+)$/.exec(block)?.[1];
      return heading ? `<h2 id="${anchor(heading)}">${inline(heading)}</h2>` : `<p>${inline(block)}</p>`;
    })
    .join('\n');

/** The headings of Markdown. */
export const headingsIn = (text: string) => [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);

/** The id of a heading. */
export const anchor = (heading: string) => heading.toLowerCase().replace(/\W+/g, '-');

/** A table; narrow windows show each row as a block, with the labels of its cells. */
export function table(caption: string, labels: string[], rows: string[][]): string {
  const head = labels.map((label) => `<th scope="col">${label}</th>`).join('');
  const body = rows.map((cells) => {
    const [first, ...rest] = cells.map((cell, i) => `data-label="${labels[i]}">${cell}`);
    return `<tr><th scope="row" ${first}</th>${rest.map((cell) => `<td ${cell}</td>`).join('')}</tr>`;
  });
  return `<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}
