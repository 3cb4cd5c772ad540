export { toFetch, toFetchEndpoint, toFetchHandler } from './to-fetch.ts'
