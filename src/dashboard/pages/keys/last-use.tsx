import { Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

/** When a credential was used; null: never. */
export function LastUse({ of, at }: { readonly of: string; readonly at: string | null }) {
  if (at === null) return <>{`${of} · ${texts.keys.unused}`}</>;
  return (
    <>
      {of} · {texts.keys.used} <Moment iso={at} />
    </>
  );
}
