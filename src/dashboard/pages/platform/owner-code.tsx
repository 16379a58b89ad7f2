import { useState } from 'preact/hooks';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { texts } from '../../texts.ts';

const t = texts.owner;

/** Makes oneself known to one's bot, which then can be tested. */
export function OwnerCode({ platform }: { readonly platform: string }) {
  const [code, setCode] = useState('');
  const make = async (): Promise<void> => {
    setCode((await ask('POST /api/platforms/{platform}/owner/code', { params: { platform } })).code);
  };
  return (
    <Card title={t.title} hint={t.explanation}>
      {code !== '' && <Copyable text={code} label={t.code} />}
      <div class="row">
        <Action run={make}>{t.make}</Action>
      </div>
    </Card>
  );
}
