import { changeMessages, dutch, type Messages } from '@mintmark/pages/languages'

/** Your own language. It is based on Dutch, so sentences that are not translated yet appear in Dutch, not English. */
export const frisian: Messages = changeMessages(
  { ...dutch, lang: 'fy', dir: 'ltr' },
  {
    signIn: { title: 'Oanmelde', toContinue: 'om troch te gean nei {client}', submit: 'Oanmelde' },
    consent: { allow: 'Tastean', deny: 'Wegerje' },
  },
)
