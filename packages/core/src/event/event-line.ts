import type { RequestRefused, ServerEvent } from './server-event.ts'

/** An event in one line for a terminal: what happened, for which client, and why. */
export function eventLine(event: ServerEvent): string {
  switch (event.type) {
    case 'request.refused':
      return `${event.method} ${event.path} refused: ${event.code} (${event.reason})${particulars(event)}`
    case 'option.unsafe':
      return `unsafe option ${event.option}: ${event.advice}`
    case 'interaction.started':
      return `interaction.started: ${event.kind} for ${nameOf(event.clientId)}`
    case 'interaction.denied':
      return `interaction.denied: ${event.reason} for ${nameOf(event.clientId)}`
    case 'tokens.issued':
      return `tokens.issued: ${event.grantType} to ${nameOf(event.clientId)}`
    case 'token.introspected':
      return `token.introspected: ${event.active ? 'active' : 'not active'} to ${nameOf(event.clientId)}`
    case 'token.revoked':
      return `token.revoked: ${event.revoked} by ${nameOf(event.clientId)}`
    case 'revocations.delivered':
      return `revocations.delivered: ${event.count} to ${nameOf(event.clientId)}`
    case 'code.issued':
    case 'userinfo.answered':
      return `${event.type}: to ${nameOf(event.clientId)}`
    default:
      return event satisfies never
  }
}

/** Of a refused client: who it said it was; and how it came, when it is registered to come otherwise. */
function particulars({ context: { clientId, presentedMethod, registeredMethod } }: RequestRefused): string {
  if (clientId === undefined) return ''
  const methods = registeredMethod && `, registered for ${registeredMethod}, sent ${presentedMethod}`
  return `: ${nameOf(clientId)}${methods ?? ''}`
}

/** A name as it stands in a line. What a stranger sent as a client_id must not break or forge one, so it stays in the event's fields. */
const nameOf = (clientId: string): string =>
  /^[\x21-\x7E]{1,64}$/.test(clientId) ? clientId : 'a client of unusual name'
