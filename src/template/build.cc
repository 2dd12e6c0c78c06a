#include "template/build.h"

#include <optional>

#include "base/units.h"
#include "template/digest.h"
#include "template/furnish.h"
#include "template/installs.h"
#include "template/layout.h"
#include "template/name_lock.h"
#include "template/parent.h"
#include "template/tree.h"

namespace templates {

namespace {

using What = BuildOutcome::What;

// What the template's zygote imports.
constexpr const char* kPreloadList = "usr/lib/cove/preload/python";

// One build from an empty staging directory to a named template.
class Builder {
 public:
  Builder(const Store& store, const BuildRequest& request, Progress& progress, StepRunner& runner)
      : store_(store), request_(request), recipe_(request.recipe), progress_(progress), runner_(runner) {}

  Result<BuildOutcome> run();

 private:
  Owner user() const { return {recipe_.user.uid, recipe_.user.uid}; }

  // Tells the next stage, or stops when asked to.
  Result<> stage(std::string_view what);
  Result<std::optional<std::string>> built_before() const;
  Workplace place(const Staging& staging, const Tree& tree) const;
  // The tree as it is before anything of ours is in it; what is installed later is fetched by then.
  Result<> begin(const Staging& staging, Installs& installs);
  Result<> furnish(const Tree& tree);
  Result<> run_steps(const std::string& root);
  Result<> seal(const Tree& tree);
  Result<std::string> publish(const Staging& staging, const Tree& tree);
  Result<BuildOutcome> named(const std::string& digest, What what) const;

  const Store& store_;
  const BuildRequest& request_;
  Recipe recipe_;
  Progress& progress_;
  StepRunner& runner_;
  int stage_ = 0;
};

Result<BuildOutcome> Builder::run() {
  ASSIGN_OR_RETURN(const auto lock,
                   NameLock::acquire(store_.builds(), request_.name, progress_, request_.cancel));
  ASSIGN_OR_RETURN(recipe_, with_parent(store_, std::move(recipe_)));
  ASSIGN_OR_RETURN(const auto before, built_before());
  if (before && request_.rebuild == Rebuild::kIfChanged) return named(*before, What::kUpToDate);

  ASSIGN_OR_RETURN(const auto staging, Staging::create(store_.builds(), request_.name));
  Installs installs(recipe_, store_, runner_, [this](std::string_view what) { return stage(what); });
  RETURN_IF_ERROR(begin(staging, installs));
  ASSIGN_OR_RETURN(const auto tree, Tree::open(staging.root()));
  RETURN_IF_ERROR(furnish(tree));
  RETURN_IF_ERROR(installs.install(place(staging, tree)));
  RETURN_IF_ERROR(run_steps(staging.root()));
  RETURN_IF_ERROR(seal(tree));
  const bool preloads = tree.open_at(kPreloadList, O_PATH).has_value();
  ASSIGN_OR_RETURN(const auto digest, publish(staging, tree));
  if (preloads) RETURN_IF_ERROR(runner_.preload(digest));
  return named(digest, What::kBuilt);
}

Workplace Builder::place(const Staging& staging, const Tree& tree) const {
  return {.staging = staging, .tree = tree, .progress = progress_, .cancel = request_.cancel};
}

Result<> Builder::begin(const Staging& staging, Installs& installs) {
  if (!recipe_.from.empty()) {
    ASSIGN_OR_RETURN(const auto parent, store_.resolve(recipe_.from_digest));
    ASSIGN_OR_RETURN(const auto parent_tree, Tree::open(parent.root));
    // First what may fail soonest.
    RETURN_IF_ERROR(installs.fetch(place(staging, parent_tree)));
    const auto by = copy_by(recipe_);
    const std::string verb = by == CopyBy::kLinks ? "link" : "copy";
    RETURN_IF_ERROR(stage(verb + " template " + recipe_.from + " (" + parent.digest.substr(0, 12) + "), " +
                          base::format_bytes(parent.meta.bytes)));
    return copy_parent(parent, by, {staging, progress_, request_.cancel});
  }
  RETURN_IF_ERROR(stage("install " + std::to_string(recipe_.packages.size()) + " packages of " +
                        recipe_.suite + " and what they need"));
  RETURN_IF_ERROR(request_.install(recipe_, staging, progress_, request_.cancel));
  ASSIGN_OR_RETURN(const auto tree, Tree::open(staging.root()));
  return installs.fetch(place(staging, tree));
}

Result<> Builder::stage(std::string_view what) {
  RETURN_IF_ERROR(request_.cancel.check());
  const int of = 4 + Installs::stages(recipe_) + static_cast<int>(recipe_.run.size());
  progress_.stage(++stage_, of, what);
  return {};
}

// Under whatever name the same recipe was built.
Result<std::optional<std::string>> Builder::built_before() const {
  const auto wanted = recipe_digest(recipe_);
  ASSIGN_OR_RETURN(const auto all, store_.list());
  for (const auto& info : all) {
    if (info.problem.empty() && info.meta.recipe == wanted) return info.digest;
  }
  return std::nullopt;
}

Result<> Builder::furnish(const Tree& tree) {
  RETURN_IF_ERROR(stage("write the user, files and directories"));
  if (recipe_.from.empty()) RETURN_IF_ERROR(create_user(tree, recipe_.user));
  RETURN_IF_ERROR(place_files(tree, recipe_));
  // For the run steps, whose sandbox mounts over these directories already.
  return make_layout(tree, user());
}

Result<> Builder::run_steps(const std::string& root) {
  for (const auto& command : recipe_.run) {
    RETURN_IF_ERROR(stage("run " + printable(command)));
    RETURN_IF_ERROR(runner_.run(root, command, progress_));
  }
  return {};
}

// Undoes what run steps did to the places every sandbox relies on.
Result<> Builder::seal(const Tree& tree) {
  RETURN_IF_ERROR(stage("seal the tree"));
  RETURN_IF_ERROR(make_layout(tree, user()));
  RETURN_IF_ERROR(strip_attributes(tree));
  return check_layout(tree);
}

Result<std::string> Builder::publish(const Staging& staging, const Tree& tree) {
  RETURN_IF_ERROR(stage("compute the digest and store"));
  ASSIGN_OR_RETURN(const auto summary, digest_tree(tree.root()));
  RETURN_IF_ERROR(request_.cancel.check());
  const Meta meta{.name = request_.name,
                  .digest = template_digest(summary.digest, recipe_.user, recipe_.environment),
                  .recipe = recipe_digest(recipe_),
                  .suite = recipe_.suite,
                  .created = utc_now(),
                  .version = COVE_VERSION,
                  .bytes = summary.bytes,
                  .entries = summary.entries,
                  .user = recipe_.user,
                  .environment = recipe_.environment};
  RETURN_IF_ERROR(store_.publish(staging, meta, OldMeta::kReplace));
  return meta.digest;
}

Result<BuildOutcome> Builder::named(const std::string& digest, What what) const {
  RETURN_IF_ERROR(store_.set_name(request_.name, digest, IfTaken::kReplace));
  ASSIGN_OR_RETURN(auto info, store_.resolve(digest));
  return BuildOutcome{.what = what, .info = std::move(info)};
}

}  // namespace

Result<BuildOutcome> build(const Store& store, const BuildRequest& request, Progress& progress,
                           StepRunner& runner) {
  RETURN_IF_ERROR(check_template_name(request.name));
  return Builder(store, request, progress, runner).run();
}

}  // namespace templates
