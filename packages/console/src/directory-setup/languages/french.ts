import type { SetupMessages } from './messages.ts'

export const french: SetupMessages = {
  lang: 'fr',
  dir: 'ltr',
  title: 'Configuration de l’annuaire',
  skip: 'Aller au contenu',
  never: 'Jamais',
  open: {
    title: 'Connectez votre annuaire',
    intro:
      'Ce lien est destiné aux personnes qui administrent l’annuaire de votre organisation, par exemple Microsoft Entra ID ou Okta. Jusqu’à son expiration, quiconque le possède peut configurer la connexion. Ne le transmettez pas à d’autres.',
    button: 'Continuer',
  },
  heading: 'Connecter {name}',
  until: 'Vous pouvez revenir avec le même lien jusqu’au {date}.',
  changeDone: 'La modification a été faite.',
  state: {
    title: 'État de la connexion',
    off: 'La connexion est désactivée. Toutes les requêtes de votre annuaire sont refusées.',
    suspended:
      'Votre annuaire a voulu désactiver plus d’utilisateurs que sa limite ne le permet ; les désactivations sont donc refusées. Vérifiez les affectations dans votre annuaire, puis demandez aux personnes indiquées ci-dessous de les autoriser à nouveau.',
    noSecret: 'Aucun jeton secret n’est valable. Créez-en un ci-dessous.',
    waiting:
      'Votre annuaire n’a pas encore envoyé de requête. Saisissez-y les valeurs ci-dessous et testez la connexion.',
    accepted: 'Elle fonctionne : la dernière requête a été acceptée le {date}.',
    refused: 'La dernière requête a été refusée le {date}. La liste des requêtes indique pourquoi.',
    secretMatches: 'Le texte est un jeton secret valable de cet annuaire.',
    secretUnknown: 'Le texte n’est pas un jeton secret de cet annuaire, ou le jeton a expiré.',
  },
  test: {
    label: 'Jeton secret à vérifier (facultatif)',
    hint: 'Collez ce que vous avez saisi dans votre annuaire pour voir si c’est correct. Il n’est pas enregistré.',
    button: 'Tester la connexion',
  },
  values: { title: 'Valeurs à saisir dans votre annuaire', tenantUrl: 'URL du locataire, ou URL de base SCIM' },
  secrets: {
    title: 'Jetons secrets',
    created: 'Créé',
    lastUsed: 'Dernière utilisation',
    expires: 'Expire',
    empty: 'Aucun.',
    create: 'Créer un jeton secret',
    createHint: 'Il est affiché une seule fois. Les jetons existants fonctionnent encore une heure.',
    revoke: 'Révoquer les jetons secrets précédents',
    revokeHint: 'Ensuite, seul le plus récent fonctionne.',
    newTitle: 'Nouveau jeton secret',
    once: 'Copiez-le maintenant et saisissez-le dans votre annuaire. Il ne peut pas être affiché à nouveau.',
    tooMany: 'Il y a trop de jetons secrets. Révoquez d’abord les précédents.',
    back: 'Retour à la configuration',
  },
  steps: { title: 'Ce qu’il faut faire', of: 'Étapes dans {product}' },
  mapping: {
    title: 'Attributs',
    attribute: 'Attribut',
    use: 'À quoi il sert',
    uses: {
      identity: 'Identifie l’utilisateur. Choisissez une valeur qui ne change jamais, comme l’ID d’objet.',
      username: 'Le nom de l’utilisateur à la connexion. Il doit être unique dans votre annuaire.',
      name: 'Le nom affiché',
      email: 'L’adresse e-mail',
      phone: 'Le numéro de téléphone',
      locale: 'La langue et le fuseau horaire',
      active: 'Avec false, l’utilisateur perd aussitôt tout accès.',
      groups: 'Les groupes et leurs membres',
      rest: 'Les autres attributs sont enregistrés, et ce produit peut les utiliser.',
    },
  },
  requests: {
    title: 'Dernières requêtes de votre annuaire',
    empty: 'Aucune pour l’instant.',
    notListed:
      'Les requêtes avec un mauvais jeton secret ne figurent pas dans cette liste. Votre annuaire affiche pour elles le code 401.',
    time: 'Date',
    request: 'Requête',
    result: 'Résultat',
    done: 'Acceptée',
  },
  problems: {
    taken:
      'Le nom ou l’identifiant appartient déjà à un autre utilisateur ou groupe. Faites correspondre les utilisateurs par userName ou externalId.',
    missing:
      'Cet utilisateur ou ce groupe n’existe pas ici. Relancez l’approvisionnement pour que votre annuaire le crée.',
    value: 'Une valeur manque ou n’est pas autorisée. Vérifiez le mappage de l’attribut.',
    unsupported:
      'L’annuaire a envoyé quelque chose que ce service ne comprend pas. Vérifiez les étapes de configuration.',
    tooMany: 'Trop de requêtes en peu de temps. Votre annuaire réessaie de lui-même.',
    tooLarge: 'La requête, ou un groupe qu’elle contient, est trop grande. Envoyez-en moins à la fois.',
    suspended: 'Trop d’utilisateurs ont été désactivés en peu de temps. Voir l’état de la connexion.',
    protected: 'Cet utilisateur est protégé ; votre annuaire ne peut pas le modifier.',
    credentials: 'Ces identifiants n’appartiennent pas à cet annuaire. Créez un nouveau jeton secret et saisissez-le.',
    failed: 'Ce service a rencontré un problème. Votre annuaire réessaie de lui-même.',
    other: 'La requête a été refusée.',
  },
  finish: {
    title: 'Terminé ?',
    text: 'La connexion continue de fonctionner. Le lien ne fonctionne plus, pour personne.',
    button: 'Terminer et révoquer le lien',
    doneTitle: 'Terminé',
    doneText: 'Le lien ne fonctionne plus. Vous pouvez fermer cette page.',
  },
  errors: {
    code: 'Code',
    reference: 'Référence',
    link: {
      title: 'Ce lien ne fonctionne pas',
      advice: 'Il a expiré, a été révoqué ou n’a pas été copié en entier.',
    },
    crossSite: {
      title: 'Le formulaire n’a pas été envoyé depuis cette page',
      advice: 'Rien n’a été modifié. Ouvrez à nouveau votre lien.',
    },
    refused: { title: 'La requête a été refusée', advice: 'Rien n’a été modifié.' },
    failed: { title: 'Une erreur s’est produite', advice: 'Réessayez dans quelques minutes.' },
    ask: 'Si vous avez besoin d’aide ou d’un nouveau lien, demandez à {contact}.',
    askSender: 'Si vous avez besoin d’aide ou d’un nouveau lien, demandez à la personne qui vous a envoyé le lien.',
  },
}
