const ADDRESS = /https?:\/\/[^\s<>]+/g;

/** Whether an address in a content has a mark, at which a platform would end what is marked. */
export function hasMarkInAddress(content: string, mark: string): boolean {
  for (const [address] of content.matchAll(ADDRESS)) if (address.includes(mark.charAt(0))) return true;
  return false;
}
