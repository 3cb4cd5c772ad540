import type { EpochSeconds, JsonText } from '@mintmark/storage-interface'

/** What `meta` is made of: the dates are the record's own. */
interface ResourceMeta {
  readonly resourceType: 'User' | 'Group'
  readonly record: { readonly createdAt: EpochSeconds; readonly updatedAt: EpochSeconds }
  readonly location: string
  readonly version: string
}

/** The `meta` of a resource (RFC 7643 §3.1). Written as text: an object that becomes text takes twice as long, and a page has a hundred. */
export function renderMeta({
  resourceType,
  record: { createdAt, updatedAt },
  location,
  version,
}: ResourceMeta): JsonText {
  const created = formatInstant(createdAt)
  const lastModified = updatedAt === createdAt ? created : formatInstant(updatedAt)
  const where = JSON.stringify(location)
  return `{"resourceType":"${resourceType}","created":"${created}","lastModified":"${lastModified}","location":${where},"version":${JSON.stringify(version)}}` as JsonText
}

/** A point in time as a dateTime (RFC 7643 §2.3.5), in UTC. Put together here, as `toISOString` takes more than twice as long, and a page has 200. */
export function formatInstant(at: EpochSeconds): string {
  const date = new Date(at * 1000)
  const year = date.getUTCFullYear()
  // RFC 3339 §5.6: years of four digits. What no clock says is left to whoever made `Date`.
  if (!(year >= 1000 && year <= 9999)) return date.toISOString()
  const day = `${year}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`
  return `${day}T${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}:${twoDigits(date.getUTCSeconds())}.000Z`
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`)
