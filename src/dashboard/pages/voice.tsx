import { useState } from 'preact/hooks';
import type { Answers, Preset, SpeechKind } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action, Confirm, Dialog } from '../parts/action.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Card, Loaded, PageHead, Row, Rows } from '../parts/layout.tsx';
import { texts } from '../texts.ts';
import { InterruptionTest } from './voice/interruption-test.tsx';
import { PresetForm } from './voice/preset-form.tsx';

type Catalog = Answers['GET /api/voice-configs/schema'];

const t = texts.voice;
const KINDS = ['stt', 'tts'] as const;

/** What calls speak and hear with. */
export function VoicePage() {
  const presets = useAnswer('GET /api/voice-configs');
  const catalog = useAnswer('GET /api/voice-configs/schema');
  const [edited, setEdited] = useState<{ readonly kind: SpeechKind; readonly preset?: Preset }>();
  return (
    <>
      <PageHead title={texts.nav.voice} />
      <p class="quiet">{t.explanation}</p>
      <Loaded answer={catalog}>
        {(known) => (
          <>
            <Loaded answer={presets}>
              {(data) => (
                <div class="columns">
                  {KINDS.map((kind) => (
                    <Card
                      key={kind}
                      title={t.kinds[kind]}
                      action={
                        <button type="button" class="primary" onClick={() => setEdited({ kind })}>
                          {t.add}
                        </button>
                      }
                    >
                      <Presets
                        presets={data.voice_configs.filter((each) => each.kind === kind)}
                        catalog={known}
                        edit={(preset) => setEdited({ kind, preset })}
                      />
                    </Card>
                  ))}
                  <InterruptionTest
                    isReady={KINDS.every((kind) =>
                      data.voice_configs.some((each) => each.kind === kind && each.enabled),
                    )}
                  />
                </div>
              )}
            </Loaded>
            {edited && (
              <Dialog
                title={edited.preset ? edited.preset.name : `${t.add}: ${t.kinds[edited.kind]}`}
                onClose={() => setEdited(undefined)}
              >
                <PresetForm {...edited} catalog={known} onDone={() => setEdited(undefined)} />
              </Dialog>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  valid: 'good',
  not_needed: 'good',
  invalid: 'bad',
  out_of_funds: 'bad',
  limited_scope: 'warn',
};

interface PresetsProps {
  readonly presets: readonly Preset[];
  readonly catalog: Catalog;
  edit(preset: Preset): void;
}

function Presets({ presets, catalog, edit }: PresetsProps) {
  return (
    <Rows of={presets} none={t.none}>
      {(preset) => (
        <Row
          key={preset.id}
          title={preset.name}
          note={catalog.providers.find(({ name }) => name === preset.provider)?.title}
          below={<Manage preset={preset} edit={edit} />}
        >
          {preset.enabled && <Badge tone="good">{t.enabled}</Badge>}
          <Badge tone={TONES[preset.key_status] ?? 'plain'}>
            {t.keyStates[preset.key_status] ?? preset.key_status}
          </Badge>
        </Row>
      )}
    </Rows>
  );
}

function Manage({ preset, edit }: { readonly preset: Preset; edit(preset: Preset): void }) {
  const { id, name, enabled, key_detail: detail, notices } = preset;
  const change = () => ask('PATCH /api/voice-configs/{id}', { params: { id }, body: { enabled: !enabled } });
  const remove = () => ask('DELETE /api/voice-configs/{id}', { params: { id } });
  return (
    <>
      {[detail, ...notices].map(
        (note) =>
          note && (
            <p key={note} class="small warn-text">
              {note}
            </p>
          ),
      )}
      <div class="row">
        <button type="button" onClick={() => edit(preset)}>
          {texts.edit}
        </button>
        <Action run={change}>{enabled ? t.disable : t.enable}</Action>
        <Confirm class="quietly" action={texts.remove} question={t.removeQuestion(name)} run={remove} />
      </div>
    </>
  );
}
