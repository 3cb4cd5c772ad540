import { clientRequests } from '../processes/client-requests.ts'
import { scimRequests } from '../processes/scim-requests.ts'
import { requireEnded, type LoadPlan } from './load.ts'

/** Asks about everything in the ledger once more: nothing that was confirmed may be missing, and nothing that ended may work. */
export async function verifyLedger(plan: Pick<LoadPlan, 'site' | 'ask' | 'ledger'>): Promise<void> {
  const { site, ask, ledger } = plan
  const [client, directory] = [clientRequests(site.clients), scimRequests(site.scimSecret)]
  await eachOf(ledger.ended, async (ended) => {
    await requireEnded(ended, plan)
    const { reply } = await ask('write', (port) => client.refresh(port, ended.tokens.refresh_token))
    const sentence = `${ended.why} (${ended.evidence}), refreshed: ${reply.status}`
    if (reply.status === 200) ledger.survivors.push(sentence)
    else if (reply.status !== 400) ledger.lost.push(`a refusal of ended tokens, ${sentence}`)
  })
  await eachOf(ledger.users, async (id) => {
    const { reply } = await ask('read', (port) => directory.send(port, 'GET', `/Users/${id}`))
    if (reply.status !== 200) ledger.lost.push(`user ${id}: ${reply.status}`)
  })
  await eachOf(ledger.families, async ({ tokens }) => {
    const { reply, failures } = await ask('write', (port) => client.refresh(port, tokens.refresh_token))
    if (reply.status !== 200 && failures === 0) ledger.lost.push(`a refresh token at the end: ${reply.status}`)
  })
}

/** Four at a time. */
async function eachOf<T>(items: Iterable<T>, check: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await check(next.value)
  }
  await Promise.all([work(), work(), work(), work()])
}
