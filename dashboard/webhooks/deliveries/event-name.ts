/** The name of a single event: `group.member_added` is “Group member added”. */
export function eventName(type: string): string {
  const words = type.replace(/[._]/g, ' ');
  return words[0].toUpperCase() + words.slice(1);
}
