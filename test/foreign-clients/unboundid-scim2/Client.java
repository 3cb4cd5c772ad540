import com.unboundid.scim2.client.ScimService;
import com.unboundid.scim2.common.exceptions.PreconditionFailedException;
import com.unboundid.scim2.common.exceptions.ResourceConflictException;
import com.unboundid.scim2.common.exceptions.ResourceNotFoundException;
import com.unboundid.scim2.common.filters.Filter;
import com.unboundid.scim2.common.messages.ListResponse;
import com.unboundid.scim2.common.messages.SortOrder;
import com.unboundid.scim2.common.types.Email;
import com.unboundid.scim2.common.types.EnterpriseUserExtension;
import com.unboundid.scim2.common.types.GroupResource;
import com.unboundid.scim2.common.types.Member;
import com.unboundid.scim2.common.types.Name;
import com.unboundid.scim2.common.types.UserResource;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.ClientRequestFilter;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.glassfish.jersey.apache.connector.ApacheConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;

/** Creates, reads, updates, deletes, searches and pages with the typed classes of the UnboundID SCIM 2 SDK. */
public class Client {
  private final ScimService scim;

  private Client(ScimService scim) {
    this.scim = scim;
  }

  public static void main(String[] arguments) {
    ClientRequestFilter bearer =
        request -> request.getHeaders().putSingle("Authorization", "Bearer " + System.getenv("SCIM_TOKEN"));
    var http = ClientBuilder.newClient(new ClientConfig().connectorProvider(new ApacheConnectorProvider()));
    var checks = new Client(new ScimService(http.register(bearer).target(System.getenv("SCIM_URL"))));
    Checks.report("reads the configuration, the resource types and the schemas", checks::discovery);
    Checks.report("creates, reads, replaces and deletes a user with typed classes", checks::user);
    Checks.report("patches a user and gets it back", checks::patchUser);
    Checks.report("respects ETags: If-Match and If-None-Match", checks::entityTags);
    Checks.report("gets typed errors: uniqueness and not found", checks::errors);
    Checks.report("creates a group, adds and removes members and gets it back", checks::group);
    Checks.report("pages by index and by cursor", checks::paging);
    Checks.report("searches by GET and POST with a filter, a sort order and attributes", checks::search);
    System.exit(0);
  }

  private void discovery() throws Exception {
    Checks.expect(true, scim.getServiceProviderConfig().getPatch().isSupported());
    Checks.expect(true, scim.getResourceTypes().getResources().stream().anyMatch(type -> type.getName().equals("User")));
    Checks.expect(true, scim.getSchemas().getTotalResults() >= 3);
    Checks.expect("User", scim.getSchema("urn:ietf:params:scim:schemas:core:2.0:User").getName());
  }

  private void user() throws Exception {
    var enterprise = new EnterpriseUserExtension().setEmployeeNumber("4711").setDepartment("Research");
    UserResource draft = userNamed("ada");
    draft.setExtension(enterprise);
    UserResource created = scim.create("Users", draft);
    Checks.expect("Research", created.getExtension(EnterpriseUserExtension.class).getDepartment());
    Checks.expect(true, created.getMeta().getLocation().toString().endsWith("/Users/" + created.getId()));

    UserResource read = scim.retrieve(created);
    Checks.expect(created.getMeta().getVersion(), read.getMeta().getVersion());
    read.setDisplayName("Ada L.");
    UserResource replaced = scim.replace(read);
    Checks.expect("Ada L.", replaced.getDisplayName());

    scim.delete(replaced);
    Checks.expectException(ResourceNotFoundException.class, () -> scim.retrieve("Users", created.getId(), UserResource.class));
  }

  private void patchUser() throws Exception {
    UserResource created = scim.create("Users", userNamed("grace"));
    UserResource patched =
        scim.modifyRequest(created)
            .replaceValue("displayName", "Grace H.")
            .addValues("emails", new Email().setValue("grace@home.test").setType("home"))
            .invoke();
    Checks.expect("Grace H.", patched.getDisplayName());
    Checks.expect(2, patched.getEmails().size());
    UserResource cleared = scim.modifyRequest(patched).removeValues("emails[type eq \"home\"]").invoke();
    Checks.expect(1, cleared.getEmails().size());
    UserResource inactive = scim.modifyRequest(cleared).replaceValue("active", false).invoke();
    Checks.expect(false, inactive.getActive());
  }

  private void entityTags() throws Exception {
    UserResource first = scim.create("Users", userNamed("edsger"));
    UserResource second = scim.modifyRequest(first).ifMatch().replaceValue("title", "Professor").invoke();
    Checks.expectException(
        PreconditionFailedException.class,
        () -> scim.modifyRequest(first).ifMatch().replaceValue("title", "Dean").invoke());
    Checks.expectException(PreconditionFailedException.class, () -> scim.deleteRequest(first).ifMatch(first.getMeta().getVersion()).invoke());
    Checks.expectException(
        com.unboundid.scim2.common.exceptions.NotModifiedException.class,
        () -> scim.retrieveRequest(second).ifNoneMatch().invoke());
    scim.deleteRequest(second).ifMatch(second.getMeta().getVersion()).invoke();
  }

  private void errors() throws Exception {
    scim.create("Users", userNamed("alan"));
    UserResource another = userNamed("alan");
    another.setExternalId("another");
    Checks.expectException(ResourceConflictException.class, () -> scim.create("Users", another));
    Checks.expectException(ResourceNotFoundException.class, () -> scim.retrieve("Groups", "absent", GroupResource.class));
  }

  private void group() throws Exception {
    UserResource first = scim.create("Users", userNamed("member1"));
    UserResource second = scim.create("Users", userNamed("member2"));
    GroupResource created =
        scim.create("Groups", new GroupResource().setDisplayName("Team").setMembers(List.of(member(first))));
    GroupResource patched =
        scim.modifyRequest(created).attributes("members").addValues("members", member(second)).invoke();
    Checks.expect(2, patched.getMembers().size());
    GroupResource smaller =
        scim.modifyRequest(created)
            .attributes("members")
            .removeValues("members[value eq \"" + first.getId() + "\"]")
            .invoke();
    Checks.expect(second.getId(), smaller.getMembers().get(0).getValue());
    scim.delete(created);
  }

  private void paging() throws Exception {
    for (int number = 0; number < 25; number++) scim.create("Users", userNamed("page" + number));
    String filter = Filter.sw("userName", "page").toString();
    Set<String> byIndex = new HashSet<>();
    for (int start = 1; start <= 25; start += 10) {
      ListResponse<UserResource> page =
          scim.searchRequest("Users").filter(filter).page(start, 10).invoke(UserResource.class);
      Checks.expect(25, page.getTotalResults());
      page.getResources().forEach(user -> byIndex.add(user.getId()));
    }
    Checks.expect(25, byIndex.size());

    Set<String> byCursor = new HashSet<>();
    ListResponse<UserResource> page =
        scim.searchRequest("Users").filter(filter).firstPageCursorWithCount(10).invoke(UserResource.class);
    page.getResources().forEach(user -> byCursor.add(user.getId()));
    while (page.getNextCursor() != null) {
      page =
          scim.searchRequest("Users").filter(filter).pageWithCursor(page.getNextCursor(), 10)
              .invoke(UserResource.class);
      page.getResources().forEach(user -> byCursor.add(user.getId()));
    }
    Checks.expect(byIndex, byCursor);
  }

  private void search() throws Exception {
    scim.create("Users", userNamed("search1"));
    scim.create("Users", userNamed("search2"));
    Filter filter = Filter.and(Filter.sw("userName", "search"), Filter.eq("active", true));
    for (boolean isPost : List.of(false, true)) {
      var request =
          scim.searchRequest("Users").filter(filter).sort("userName", SortOrder.DESCENDING).attributes("userName");
      ListResponse<UserResource> found =
          isPost ? request.invokePost(UserResource.class) : request.invoke(UserResource.class);
      Checks.expect(2, found.getTotalResults());
      Checks.expect("search2", found.getResources().get(0).getUserName());
      Checks.expect(null, found.getResources().get(0).getName());
    }
  }

  private static UserResource userNamed(String userName) {
    UserResource user =
        new UserResource()
            .setUserName(userName)
            .setDisplayName(userName)
            .setActive(true)
            .setName(new Name().setGivenName("Given").setFamilyName("Family"))
            .setEmails(List.of(new Email().setValue(userName + "@work.test").setType("work").setPrimary(true)));
    user.setExternalId("external-" + userName);
    return user;
  }

  private static Member member(UserResource user) {
    return new Member().setValue(user.getId()).setRef(URI.create(user.getMeta().getLocation().toString()));
  }
}
