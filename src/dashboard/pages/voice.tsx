import { useLocation } from 'wouter-preact';
import type { Answers, Preset } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { Talk } from '../call/talk.ts';
import { Action, Confirm, DialogButton } from '../parts/button.tsx';
import { Card, PageHead, Read } from '../parts/layout.tsx';
import { Row, Rows } from '../parts/list.tsx';
import { Badge, State } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { PresetForm } from './voice/preset-form.tsx';
import { t } from './voice.texts.ts';

const KINDS = ['stt', 'tts'] as const;

/** What calls speak and hear with. */
export function VoicePage() {
  return (
    <>
      <PageHead title={texts.pages.voice} />
      <p class="quiet">{t.explanation}</p>
      <Read from="GET /api/voice-configs/schema">{(known) => <Presets catalog={known} />}</Read>
    </>
  );
}

interface Known {
  readonly catalog: Answers['GET /api/voice-configs/schema'];
}

function Presets({ catalog }: Known) {
  return (
    <Read from="GET /api/voice-configs">
      {({ voice_configs: all }) => (
        <div class="columns">
          {KINDS.map((kind) => {
            const title = texts.speechKinds[kind];
            const add = (
              <DialogButton title={title} name={t.add} class="primary">
                {(close) => <PresetForm kind={kind} catalog={catalog} onDone={close} />}
              </DialogButton>
            );
            return (
              <Card key={kind} title={title} action={add}>
                <Rows of={all.filter((each) => each.kind === kind)}>
                  {(preset) => <PresetRow key={preset.id} preset={preset} catalog={catalog} />}
                </Rows>
              </Card>
            );
          })}
          <InterruptionTest
            isReady={KINDS.every((kind) => all.some((each) => each.kind === kind && each.enabled))}
          />
        </div>
      )}
    </Read>
  );
}

function PresetRow({ preset, catalog }: Known & { readonly preset: Preset }) {
  const { id, kind, name, enabled, key_status: status, key_detail: detail, notices } = preset;
  const change = () => ask('PATCH /api/voice-configs/{id}', { id, enabled: !enabled });
  const remove = () => ask('DELETE /api/voice-configs/{id}', { id });
  const notes = [detail, ...notices].filter((note) => note !== null);
  const below = (
    <>
      {notes.map((note) => (
        <p key={note} class="small warn-text">
          {note}
        </p>
      ))}
      <div class="row">
        <DialogButton title={texts.edit}>
          {(close) => <PresetForm kind={kind} preset={preset} catalog={catalog} onDone={close} />}
        </DialogButton>
        <Action run={change} name={enabled ? t.disable : t.enable} />
        <Confirm question={t.removeQuestion(name)} run={remove} />
      </div>
    </>
  );
  const provider = catalog.providers.find((each) => each.name === preset.provider)?.title;
  return (
    <Row title={name} note={provider} below={below}>
      {enabled && <Badge tone="good">{t.enabled}</Badge>}
      <State of={status} />
    </Row>
  );
}

const LOOK_MS = 200;
const MOST_LOOKS = 25;

/**
 * A call from this browser in which the gateway says a long text, to be interrupted: the time line of the call shows what
 * was heard, and where the text ended. This is what happens on a phone, with the presets and settings in use.
 */
function InterruptionTest({ isReady }: { readonly isReady: boolean }) {
  const [, navigate] = useLocation();
  const test = async (): Promise<void> => {
    const { agents } = await ask('GET /api/agents');
    const { callId } = await Talk.begin(agents.find((each) => each.is_default) ?? agents[0]!);
    await ask('POST /api/call/{call_id}/accept', { call_id: callId });
    await becomesActive(callId);
    await ask('POST /api/call/{call_id}/say', { call_id: callId, text: t.text });
    navigate(`/calls/${callId}`);
  };
  return (
    <Card title={t.interruption} hint={isReady ? t.interruptionHint : t.needs}>
      <Action run={test} disabled={!isReady} name={t.begin} />
    </Card>
  );
}

async function becomesActive(call_id: string): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { state } = await ask('GET /api/call/{call_id}', { call_id });
    if (state === 'active') return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(texts.unknownError);
}
