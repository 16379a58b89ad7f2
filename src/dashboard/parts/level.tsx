interface LevelProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly level: number;
}

/** How loud something is now. */
export function Level({ label, level }: LevelProps) {
  return <meter class="level" aria-label={label} min={0} max={1} value={Math.sqrt(level)} />;
}
