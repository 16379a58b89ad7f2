/** Strokes on a field of 24 by 24. */
const PATHS = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  calls: 'M5 4h4l2 5-2.500 1.500a11 11 0 0 0 5 5L15 13l5 2v4a2 2 0 0 1-2 2A15 15 0 0 1 3 6a2 2 0 0 1 2-2',
  inbox: 'M4 5h16v12H9l-5 4z',
  platforms: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  agents: 'M6 8h12v11H6zM12 8V4M9.500 13v1M14.500 13v1M3 12v4M21 12v4',
  voice: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3M6 11a6 6 0 0 0 12 0M12 17v4',
  keys: 'M15 9a4 4 0 1 0-3 3.900L14 15h2v2h2v2h3v-3l-6.200-6.100',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20a8 8 0 0 1 16 0',
  operator: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  menu: 'M4 7h16M4 12h16M4 17h16',
  back: 'M15 5l-7 7 7 7',
} as const;

/** A decoration: what it stands beside says the same. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
