import { useRef, useState } from 'preact/hooks';
import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { bodyOf, fillIn } from '../../parts/field.ts';
import { Input } from '../../parts/form.tsx';
import { Row, Rows } from '../../parts/layout.tsx';
import { t } from '../voice.texts.ts';

type Voice = Answers['POST /api/providers/{name}/voices']['voices'][number];

interface VoicesProps {
  readonly provider: Answers['GET /api/voice-configs/schema']['providers'][number];
  readonly preset: Preset | undefined;
}

/** The voices of the provider, to be heard and chosen for the form that this stands in. */
export function Voices({ provider, preset }: VoicesProps) {
  const { name, needs_key: needsKey, regions } = provider;
  const [voices, setVoices] = useState<readonly Voice[]>();
  const [wanted, setWanted] = useState('');
  const place = useRef<HTMLDivElement>(null);
  const formOf = () => place.current!.closest('form')!;
  const list = async (): Promise<void> => {
    const given = { ...(needsKey && { api_key: t.key }), ...(regions.length > 0 && { region: t.region }) };
    const ofKey = bodyOf(formOf(), given, {}, true);
    const whose = preset && ofKey.api_key === undefined ? { voice_config_id: preset.id } : ofKey;
    const body = needsKey ? whose : {};
    setVoices((await ask('POST /api/providers/{name}/voices', { params: { name }, body })).voices);
  };
  const shown = (voices ?? []).filter((voice) =>
    `${voice.name} ${voice.description} ${voice.languages}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <div class="field" ref={place}>
      <Action run={list} name={t.listVoices} />
      {voices && (
        <>
          <Input label={t.findVoice} onValue={setWanted} type="search" />
          <Rows of={shown} class="scrolling">
            {({ id, name: title, description, languages, preview_url: preview }) => (
              <Row key={id} title={title} note={[description, ...languages].filter(Boolean).join(' · ')}>
                {preview?.startsWith('https:') && (
                  <Action run={() => new Audio(preview).play()} name="▶" label={`${t.preview}: ${title}`} />
                )}
                <Action run={() => fillIn(formOf(), 'voice', id)} name={t.choose} />
              </Row>
            )}
          </Rows>
        </>
      )}
    </div>
  );
}
