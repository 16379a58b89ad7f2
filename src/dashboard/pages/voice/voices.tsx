import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import type { Draft } from '../../parts/draft.ts';
import { Input } from '../../parts/form.tsx';
import { t } from '../voice.texts.ts';

type Voice = Answers['POST /api/providers/{name}/voices']['voices'][number];

const MOST_SHOWN = 40;

interface VoicesProps {
  readonly provider: Answers['GET /api/voice-configs/schema']['providers'][number];
  /** Of the preset, whose voice is chosen here. */
  readonly draft: Draft;
  readonly preset: Preset | undefined;
}

/** The voices of the provider, to be heard and chosen. */
export function Voices({ provider: { name: provider, needs_key: needsKey }, draft, preset }: VoicesProps) {
  const [voices, setVoices] = useState<readonly Voice[]>();
  const wanted = useSignal<string | boolean>('');
  const { api_key: apiKey = '', region } = draft.value;
  const list = async (): Promise<void> => {
    const ofKey = apiKey === '' ? {} : { api_key: apiKey, ...(region && { region }) };
    const whose = apiKey === '' && preset && needsKey ? { voice_config_id: preset.id } : ofKey;
    const found = await ask('POST /api/providers/{name}/voices', { params: { name: provider }, body: whose });
    setVoices(found.voices);
  };
  const choose = (voice: string): void => {
    draft.value = { ...draft.value, voice };
  };
  const shown = (voices ?? []).filter(({ name, description, languages }) =>
    `${name} ${description} ${languages}`.toLowerCase().includes(`${wanted.value}`.toLowerCase()),
  );
  return (
    <div class="field">
      <Action run={list} disabled={needsKey && apiKey === '' && !preset}>
        {t.listVoices}
      </Action>
      {voices && (
        <>
          <Input label={t.findVoice} of={wanted} type="search" />
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
