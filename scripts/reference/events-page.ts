import { refusals as adminRefusals } from '../../packages/admin/src/error/refusals.ts'
import { refusals as accessRefusals } from '../../packages/resource-server/src/refusals.ts'
import { refusals as scimRefusals } from '../../packages/scim/src/error/refusals.ts'
import { eventsOf, type EventEntry } from './event.ts'
import { table } from './markdown-table.ts'
import type { PublicApi } from './public-api.ts'
import { refusalsOf, type DescribedRefusal } from './refusals.ts'

/** The page `docs/reference/events.md`, from the unions of events and reasons. */
export const eventsPage = (api: PublicApi): string =>
  [
    introduction,
    '## The authorization server',
    'Received by `onEvent` of `createAuthorizationServer`: a `ServerEvent`.',
    eventList(eventsOf('ServerOccurrence', 'packages/core/src/events.ts', api)),
    '### Why it refuses',
    'The `reason` of `request.refused`, and the codes that the client sees: `RefusalReason`.',
    table(['reason', 'codes', 'what it means'], reasonRows(refusalsOf(api))),
    '## SCIM',
    'Received by `onEvent` of `createScimServer`: a `ScimEvent`.',
    eventList(eventsOf('ScimOccurrence', 'packages/scim/src/event/scim-event.ts', api)),
    '### Why SCIM refuses',
    'The `reason` of `request.refused`, and what the identity provider receives: `ScimRefusalReason`.',
    table(['reason', 'status', 'scimType', 'detail'], scimRows()),
    '## Administration',
    'Received by `onEvent` of `createAdministration` and `createAdminServer`: an `AdminEvent`.',
    eventList(eventsOf('AdminOccurrence', 'packages/admin/src/audit/admin-event.ts', api)),
    '### Why administration refuses',
    'The `reason` of `AdminError`, which is also the `code` that a caller reads: `AdminRefusalReason`.',
    table(
      ['reason', 'status', 'detail'],
      Object.entries(adminRefusals).map(([reason, [status, detail]]) => [`\`${reason}\``, `${status}`, detail]),
    ),
    '## APIs that receive tokens',
    'The `reason` of `AccessRefusedError`, which `onRefusal` of `createResourceServer` receives: `AccessRefusalReason`.',
    table(
      ['reason', 'code', 'what it means', 'standard'],
      Object.entries(accessRefusals).map(([reason, [code, meaning, section]]) => [
        `\`${reason}\``,
        `\`${code}\``,
        meaning,
        section,
      ]),
    ),
  ].join('\n\n') + '\n'

const introduction = `# Events and reasons

Every event that the servers emit, and every reason for a refusal. Reasons are for logs and tests: the response says less,
so that an attacker does not learn which of several checks failed. Both are closed unions in TypeScript: a
\`switch\` over them is checked by the compiler. No event holds a token, a code, a secret or a claim about a person.

Every event also has \`at\`, in seconds since 1970, and \`correlationId\`, which joins the events of one request and which
the server generates. \`requestId\` is the request's \`x-request-id\`. Anyone can send any value, so rely on it only behind
a proxy that sets it.

This page is written by \`pnpm reference\`.`

/** Events with the same fields share one list of them. */
function eventList(events: readonly EventEntry[]): string {
  const alike = new Set(events.map(({ fields }) => JSON.stringify(fields)))
  const groups = [...alike].map((shared) => events.filter(({ fields }) => JSON.stringify(fields) === shared))
  return groups
    .map((group) => [...group.map(({ type, text }) => `**\`${type}\`**: ${text}`), fieldList(group)].join('\\\n'))
    .join('\n\n')
}

function fieldList([event]: readonly EventEntry[]): string {
  const described = (event?.fields ?? []).map(
    ({ name, type, text }) => `\n- \`${name}\` \`${type}\`${text === '' ? '' : `: ${text}`}`,
  )
  return `With:\n${described.join('')}`
}

const scimRows = (): readonly (readonly string[])[] =>
  Object.entries(scimRefusals).map(([reason, [status, scimType, detail]]) => [
    `\`${reason}\``,
    `${status}`,
    scimType === undefined ? '' : `\`${scimType}\``,
    detail,
  ])

/** One row for each reason, with the codes and meanings of all its answers. */
const reasonRows = (refusals: readonly DescribedRefusal[]): readonly (readonly string[])[] =>
  [...new Set(refusals.map(({ reason }) => reason))].toSorted().map((reason) => {
    const answers = refusals.filter((refusal) => refusal.reason === reason)
    const codes = [...new Set(answers.map(({ code }) => `\`${code}\``))]
    return [`\`${reason}\``, codes.join(', '), answers.map(({ meaning }) => meaning).join(' ')]
  })
