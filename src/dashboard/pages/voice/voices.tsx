import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Field } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';

type Voice = Answers['POST /api/providers/{name}/voices']['voices'][number];

const t = texts.voice;
const MOST_SHOWN = 40;

interface VoicesProps {
  readonly provider: string;
  readonly needsKey: boolean;
  readonly apiKey: string;
  readonly region: string;
  readonly preset?: Preset | undefined;
  choose(voiceId: string): void;
}

/** The voices of the provider, to be heard and chosen. */
export function Voices({ provider, needsKey, apiKey, region, preset, choose }: VoicesProps) {
  const [voices, setVoices] = useState<readonly Voice[]>();
  const wanted = useSignal('');
  const list = async (): Promise<void> => {
    const ofKey = apiKey === '' ? {} : { api_key: apiKey, ...(region && { region }) };
    const whose = apiKey === '' && preset && needsKey ? { voice_config_id: preset.id } : ofKey;
    const found = await ask('POST /api/providers/{name}/voices', { params: { name: provider }, body: whose });
    setVoices(found.voices);
  };
  const shown = (voices ?? []).filter(({ name, description, languages }) =>
    `${name} ${description} ${languages}`.toLowerCase().includes(wanted.value.toLowerCase()),
  );
  return (
    <div class="field">
      <Action run={list} disabled={needsKey && apiKey === '' && !preset}>
        {t.listVoices}
      </Action>
      {voices && (
        <>
          <Field label={t.findVoice} of={wanted} type="search" />
          <ul class="rows scrolling">
            {shown.slice(0, MOST_SHOWN).map(({ id, name, description, languages, preview_url: preview }) => (
              <li key={id} class="row-card">
                <span class="grow">
                  <strong>{name}</strong>
                  <span class="quiet small cut">
                    {[description, ...languages].filter(Boolean).join(' · ')}
                  </span>
                </span>
                {preview?.startsWith('https:') && (
                  <Action run={() => new Audio(preview).play()} label={`${t.preview}: ${name}`}>
                    ▶
                  </Action>
                )}
                <button type="button" onClick={() => choose(id)}>
                  {t.choose}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
