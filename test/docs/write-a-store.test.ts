// The snippet is a test: the store on the page satisfies the laws of `OAuthStorage`.
import '../../docs/snippets/write-a-store/laws.ts'
