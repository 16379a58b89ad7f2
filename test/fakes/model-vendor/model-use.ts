/** How a fake's model becomes that of an agent. `host`: the gateway's setting for the vendor's host, if it has one. */
export function modelUse(host: string, provider: object): string {
  return `Start the gateway with it, and give its model to an agent:

  ${host}SVC_MODELS_ALLOW=127.0.0.1 npm start
  curl -X PATCH $BASE/api/agents/$AGENT/provider -H "X-API-Key: $SETTINGS_KEY" -d '${JSON.stringify(provider)}'

It repeats what it is told, and can keep a word in mind: "Remember the word heron", "Which word?".`;
}
