import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { attempt } from '../../parts/action.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import type { Fields } from '../../parts/field.ts';
import { Form, Input } from '../../parts/form.tsx';
import { Card } from '../../parts/layout.tsx';
import { List } from '../../parts/list.tsx';
import { texts } from '../../texts.ts';
import { t } from './numbers.texts.ts';

type Did = Answers['GET /api/sip/dids']['dids'][number];

/** The phone numbers that ring agents. */
export function Numbers() {
  const presets = useAnswer('GET /api/voice-configs');
  return (
    <Card title={t.title}>
      <List from="GET /api/sip/dids" of={({ dids }) => dids} idOf={(did) => did.did_id} none={t.none}>
        {(did) => <PhoneNumber did={did} presets={presets.data?.voice_configs ?? []} />}
      </List>
      <h3>{t.add}</h3>
      <Form fields={t.fields} submit={(body) => ask('POST /api/sip/dids', { body })} action={t.add} isGrid />
    </Card>
  );
}

function PhoneNumber({ did, presets }: { readonly did: Did; readonly presets: readonly Preset[] }) {
  const params = { did_id: did.did_id };
  const optionsOf = (kind: string) => [
    ['', t.enabledPreset] as const,
    ...presets.filter((each) => each.kind === kind).map(({ id, name }) => [id, name] as const),
  ];
  const { stt, tts } = texts.speechKinds;
  const fields: Fields = {
    auto_answer: { label: t.fields.auto_answer.label, type: 'check' },
    stt_voice_config_id: { label: stt, type: 'choice', options: optionsOf('stt') },
    tts_voice_config_id: { label: tts, type: 'choice', options: optionsOf('tts') },
  };
  const change = (name: string, value: string): void => {
    const body = { [name]: fields[name]?.type === 'check' ? value !== '' : value || null };
    void attempt(() => ask('PATCH /api/sip/dids/{did_id}', { params, body }), texts.saved);
  };
  const remove = () => ask('DELETE /api/sip/dids/{did_id}', { params });
  return (
    <li>
      <div class="row spread">
        <span class="grow">
          <strong class="digits">{did.number}</strong> <span class="quiet small">{did.label}</span>
        </span>
        <Confirm class="quietly" action={texts.remove} question={t.removeQuestion(did.number)} run={remove} />
      </div>
      <div class="grid">
        {Object.entries(fields).map(([name, field]) => (
          <Input
            key={name}
            {...field}
            value={did[name as keyof Did]}
            onValue={(value) => change(name, value)}
          />
        ))}
      </div>
    </li>
  );
}
