import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { tell } from '../../parts/action.tsx';
import { useDraft } from '../../parts/draft.ts';
import { Area, Check, Field, Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';

const t = texts.policy;

/** What the model of an agent may do. */
export function PolicyForm({ agentId }: { readonly agentId: string }) {
  const policy = useAnswer('GET /api/agents/{agent_id}/policy', { params: { agent_id: agentId } });
  return <Loaded answer={policy}>{(stored) => <Editor stored={stored} />}</Loaded>;
}

function Editor({ stored }: { readonly stored: Answers['GET /api/agents/{agent_id}/policy'] }) {
  const { agent_id, calls, new_conversations, actions_per_turn } = stored;
  const first = { calls: calls.join('\n'), new_conversations, actions_per_turn: `${actions_per_turn}` };
  const draft = useDraft(first);
  const submit = async (): Promise<void> => {
    const body = {
      calls: draft.calls.value.split('\n').filter((line) => line.trim() !== ''),
      new_conversations: draft.new_conversations.value,
      actions_per_turn: Number(draft.actions_per_turn.value),
    };
    await ask('PATCH /api/agents/{agent_id}/policy', { params: { agent_id }, body });
    tell(texts.saved);
  };
  return (
    <section class="card narrow">
      <h2>{t.title}</h2>
      <Form submit={submit} action={texts.save}>
        <Area label={t.calls} hint={t.callsHint} of={draft.calls} rows={3} />
        <Check label={t.newConversations} of={draft.new_conversations} />
        <Field label={t.actions} of={draft.actions_per_turn} type="number" min={0} max={20} required />
      </Form>
    </section>
  );
}
