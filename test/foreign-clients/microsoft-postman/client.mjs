// Runs the collection of Microsoft's SCIM reference code with newman. The collection is downloaded; it is not in this
// repository.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { OUTPUT, SCIM_URL, SCIM_TOKEN } = process.env
const newman = createRequire(join(OUTPUT, 'package.json'))('newman')
const { protocol, hostname, port, pathname } = new URL(SCIM_URL)
const collection = JSON.parse(readFileSync(join(OUTPUT, 'collection.json'), 'utf8'))
// Only the server of the reference code issues tokens to the collection.
collection.item = collection.item.filter(({ name }) => name !== 'Get Token')
let count = 0
collection.item.forEach(makeExternalIdUnique)

const values = { Protocol: protocol.slice(0, -1), Server: hostname, Port: `:${port}`, Api: pathname.slice(1) }
const envVar = Object.entries({ ...values, token: SCIM_TOKEN }).map(([key, value]) => ({ key, value }))
newman.run({ collection, envVar, reporters: [] }, (error, summary) => {
  if (error) throw error
  const { executions, failures, stats } = summary.run
  const broken = executions.filter(({ response }) => response === undefined || response.code >= 500)
  report('gets no server error for any request', broken.length === 0, names(broken))
  const passed = stats.assertions.total - stats.assertions.failed
  console.error(`${passed} of ${stats.assertions.total} assertions passed`)
  for (const { source, error: reason } of failures) console.error(`${source?.name}: ${reason.message}`)
  report('passes at least 85 of its 107 assertions', passed >= 85, `${passed} passed`)
})

/** The collection gives many users the same `externalId`, which the server treats as one user. */
function makeExternalIdUnique(item) {
  item.item?.forEach(makeExternalIdUnique)
  const body = item.request?.body
  if (body?.raw === undefined) return
  count += 1
  body.raw = body.raw.replaceAll(/("externalId"\s*:\s*)"[^"]*"/gi, `$1"external-${count}"`)
}

function names(executions) {
  return executions.map(({ item }) => item.name).join(', ')
}

function report(title, isAsExpected, reason) {
  console.log(isAsExpected ? `passed ${title}` : `failed ${title}: ${reason}`)
}
