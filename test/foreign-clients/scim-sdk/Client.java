import de.captaingoldfish.scim.sdk.client.ScimClientConfig;
import de.captaingoldfish.scim.sdk.client.ScimRequestBuilder;
import de.captaingoldfish.scim.sdk.client.response.ServerResponse;
import de.captaingoldfish.scim.sdk.common.constants.enums.Comparator;
import de.captaingoldfish.scim.sdk.common.constants.enums.HttpMethod;
import de.captaingoldfish.scim.sdk.common.constants.enums.PatchOp;
import de.captaingoldfish.scim.sdk.common.constants.enums.SortOrder;
import de.captaingoldfish.scim.sdk.common.resources.Group;
import de.captaingoldfish.scim.sdk.common.resources.User;
import de.captaingoldfish.scim.sdk.common.resources.base.ScimObjectNode;
import de.captaingoldfish.scim.sdk.common.resources.complex.Name;
import de.captaingoldfish.scim.sdk.common.resources.multicomplex.Email;
import de.captaingoldfish.scim.sdk.common.resources.multicomplex.Member;
import de.captaingoldfish.scim.sdk.common.response.BulkResponse;
import de.captaingoldfish.scim.sdk.common.response.ListResponse;
import java.util.List;
import java.util.Map;

/** Creates, reads, updates, deletes, patches and searches, also with Bulk, with the client of SCIM-SDK. */
public class Client {
  private static final String USERS = "/Users";
  private static final String GROUPS = "/Groups";
  private final ScimRequestBuilder scim;

  private Client(ScimRequestBuilder scim) {
    this.scim = scim;
  }

  public static void main(String[] arguments) {
    var config =
        ScimClientConfig.builder()
            .httpHeaders(Map.of("Authorization", "Bearer " + System.getenv("SCIM_TOKEN")))
            .build();
    var checks = new Client(new ScimRequestBuilder(System.getenv("SCIM_URL"), config));
    Checks.report("reads the configuration, the resource types and the schemas", checks::discovery);
    Checks.report("creates, reads, replaces and deletes a user", checks::user);
    Checks.report("patches a user with a path, and without a path with a resource in a list as the value", checks::patchUser);
    Checks.report("respects ETags: If-Match and If-None-Match", checks::entityTags);
    Checks.report("gets errors: uniqueness and not found", checks::errors);
    Checks.report("adds and removes a member of a group with PATCH", checks::group);
    Checks.report("pages by index and reads all pages", checks::paging);
    Checks.report("searches by GET and POST with a filter, a sort order and attributes", checks::search);
    Checks.report("creates a user and a group that refers to it in one Bulk request", checks::bulk);
  }

  private void discovery() {
    Checks.expect(true, scim.loadServiceProviderConfiguration().getPatchConfig().isSupported());
    var meta = succeeds(scim.loadMetaConfiguration().sendRequest());
    Checks.expect(true, meta.getResourceTypes().size() >= 2);
    Checks.expect(true, meta.getSchemas().size() >= 3);
  }

  private void user() {
    User created = create(userNamed("ada"));
    User read = succeeds(scim.get(User.class, USERS, id(created)).sendRequest());
    Checks.expect("Given", read.getName().get().getGivenName().get());
    read.setDisplayName("Ada L.");
    User replaced = succeeds(scim.update(User.class, USERS, id(created)).setResource(read).sendRequest());
    Checks.expect("Ada L.", replaced.getDisplayName().get());
    Checks.expect(204, scim.delete(User.class, USERS, id(created)).sendRequest().getHttpStatus());
    Checks.expect(404, scim.get(User.class, USERS, id(created)).sendRequest().getHttpStatus());
  }

  private void patchUser() {
    User created = create(userNamed("grace"));
    User titled =
        succeeds(
            scim.patch(User.class, USERS, id(created))
                .addOperation().op(PatchOp.REPLACE).path("title").value("Admiral").next()
                .op(PatchOp.ADD).path("emails")
                .valueNode(Email.builder().value("grace@home.test").type("home").build()).build()
                .sendRequest());
    Checks.expect("Admiral", titled.getTitle().get());
    Checks.expect(2, titled.getEmails().size());
    User renamed =
        succeeds(
            scim.patch(User.class, USERS, id(created))
                .addOperation().op(PatchOp.REPLACE).valueNode(User.builder().displayName("Grace H.").build()).build()
                .sendRequest());
    Checks.expect("Grace H.", renamed.getDisplayName().get());
  }

  private void entityTags() {
    User created = create(userNamed("edsger"));
    String tag = created.getMeta().get().getVersion().get().getEntityTag();
    Checks.expect(304, scim.get(User.class, USERS, id(created)).setETagForIfNoneMatch(tag).sendRequest().getHttpStatus());
    User draft = userNamed("edsger");
    draft.setTitle("Professor");
    succeeds(scim.update(User.class, USERS, id(created)).setETagForIfMatch(tag).setResource(draft).sendRequest());
    var late = scim.update(User.class, USERS, id(created)).setETagForIfMatch(tag).setResource(draft).sendRequest();
    Checks.expect(412, late.getHttpStatus());
    Checks.expect(412, scim.delete(User.class, USERS, id(created)).setETagForIfMatch(tag).sendRequest().getHttpStatus());
  }

  private void errors() {
    create(userNamed("alan"));
    User another = userNamed("alan");
    another.setExternalId("another");
    var refused = scim.create(User.class, USERS).setResource(another).sendRequest();
    Checks.expect(409, refused.getHttpStatus());
    Checks.expect("uniqueness", refused.getErrorResponse().getScimType().get());
    Checks.expect(404, scim.get(Group.class, GROUPS, "absent").sendRequest().getHttpStatus());
  }

  private void group() {
    User first = create(userNamed("member1"));
    User second = create(userNamed("member2"));
    Group draft = Group.builder().displayName("Team").members(List.of(member(first))).build();
    Group created = succeeds(scim.create(Group.class, GROUPS).setResource(draft).sendRequest());
    var added =
        scim.patch(Group.class, GROUPS, id(created))
            .addOperation().op(PatchOp.ADD).path("members").valueNode(member(second)).build().sendRequest();
    Checks.expect(true, added.isSuccess());
    var removed =
        scim.patch(Group.class, GROUPS, id(created))
            .addOperation().op(PatchOp.REMOVE).path("members[value eq \"" + id(first) + "\"]").build().sendRequest();
    Checks.expect(true, removed.isSuccess());
    Group read = succeeds(scim.get(Group.class, GROUPS, id(created)).sendRequest());
    Checks.expect(1, read.getMembers().size());
    Checks.expect(id(second), read.getMembers().get(0).getValue().get());
  }

  private void paging() {
    for (int number = 0; number < 25; number++) create(userNamed("page" + number));
    ListResponse<User> page =
        succeeds(scim.list(User.class, USERS).filter("userName sw \"page\"").startIndex(21).count(10).get().sendRequest());
    Checks.expect(25L, page.getTotalResults());
    Checks.expect(5, page.getListedResources().size());
    ServerResponse<ListResponse<User>> all = scim.list(User.class, USERS).filter("userName sw \"page\"").get().getAll();
    Checks.expect(25, succeeds(all).getListedResources().size());
  }

  private void search() {
    create(userNamed("search1"));
    create(userNamed("search2"));
    var request =
        scim.list(User.class, USERS)
            .filter("userName", Comparator.SW, "search").and("active", Comparator.EQ, "true").build()
            .sortBy("userName").sortOrder(SortOrder.DESCENDING).count(10).attributes("userName");
    ServerResponse<ListResponse<User>> byGet = request.get().sendRequest();
    ServerResponse<ListResponse<User>> byPost = request.post().sendRequest();
    for (var response : List.of(byGet, byPost)) {
      ListResponse<User> found = succeeds(response);
      Checks.expect(2L, found.getTotalResults());
      Checks.expect("search2", found.getListedResources().get(0).getUserName().get());
      Checks.expect(true, found.getListedResources().get(0).getName().isEmpty());
    }
  }

  private void bulk() {
    Group group = Group.builder().displayName("Bulk").members(List.of(Member.builder().value("bulkId:one").build())).build();
    BulkResponse response =
        succeeds(
            scim.bulk()
                .bulkRequestOperation(USERS).method(HttpMethod.POST).bulkId("one").data(userNamed("bulk")).next()
                .bulkRequestOperation(GROUPS).method(HttpMethod.POST).bulkId("two").data(group)
                .sendRequest());
    Checks.expect(List.of(201, 201), response.getBulkResponseOperations().stream().map(operation -> operation.getStatus()).toList());
  }

  private User create(User draft) {
    return succeeds(scim.create(User.class, USERS).setResource(draft).sendRequest());
  }

  private static User userNamed(String userName) {
    return User.builder()
        .userName(userName)
        .externalId("external-" + userName)
        .active(true)
        .name(Name.builder().givenName("Given").familyName("Family").build())
        .emails(List.of(Email.builder().value(userName + "@work.test").type("work").primary(true).build()))
        .build();
  }

  private static Member member(User user) {
    return Member.builder().value(id(user)).type("User").build();
  }

  private static String id(de.captaingoldfish.scim.sdk.common.resources.ResourceNode resource) {
    return resource.getId().get();
  }

  private static <T extends ScimObjectNode> T succeeds(ServerResponse<T> response) {
    if (!response.isSuccess()) throw new AssertionError(response.getHttpStatus() + " " + response.getResponseBody());
    return response.getResource();
  }
}
