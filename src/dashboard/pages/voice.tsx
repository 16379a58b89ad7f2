import type { Answers, Preset, SpeechKind } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { Action } from '../parts/action.tsx';
import { Confirm, DialogButton } from '../parts/dialog.tsx';
import { Card, PageHead, Read, Row, Rows } from '../parts/layout.tsx';
import { Badge, State } from '../parts/state.tsx';
import { texts } from '../texts.ts';
import { InterruptionTest } from './voice/interruption-test.tsx';
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
          {KINDS.map((kind) => (
            <Card key={kind} title={texts.speechKinds[kind]} action={<Add kind={kind} catalog={catalog} />}>
              <Rows of={all.filter((each) => each.kind === kind)} none={t.none}>
                {(preset) => <PresetRow key={preset.id} preset={preset} catalog={catalog} />}
              </Rows>
            </Card>
          ))}
          <InterruptionTest
            isReady={KINDS.every((kind) => all.some((each) => each.kind === kind && each.enabled))}
          />
        </div>
      )}
    </Read>
  );
}

function Add({ kind, catalog }: Known & { readonly kind: SpeechKind }) {
  return (
    <DialogButton title={t.add} class="primary">
      {(close) => <PresetForm kind={kind} catalog={catalog} onDone={close} />}
    </DialogButton>
  );
}

function PresetRow({ preset, catalog }: Known & { readonly preset: Preset }) {
  const { id, kind, name, enabled, key_status: status, key_detail: detail, notices } = preset;
  const params = { id };
  const change = () => ask('PATCH /api/voice-configs/{id}', { params, body: { enabled: !enabled } });
  const remove = () => ask('DELETE /api/voice-configs/{id}', { params });
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
        <Confirm class="quietly" action={texts.remove} question={t.removeQuestion(name)} run={remove} />
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
