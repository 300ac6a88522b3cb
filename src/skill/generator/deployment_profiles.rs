//! The targets that a deployment guide knows by itself, with commands that can be run as they stand once the variables
//! are set. A rollback runs in reverse order, so what starts the old version stands where the old version is back.

/// A target.
pub(super) struct Profile {
    pub(super) name: &'static str,
    /// Words that mean it.
    words: &'static [&'static str],
    /// Name, meaning and an example of each variable.
    pub(super) env: &'static [(&'static str, &'static str, &'static str)],
    pub(super) steps: &'static [Step],
    /// What may be seen, and the command that tells why.
    pub(super) trouble: &'static [(&'static str, &'static str)],
}

/// A step.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) command: &'static str,
    pub(super) verify: &'static str,
    pub(super) rollback: &'static str,
}

const NOTHING: &str = "true # this step changes nothing";

const SYSTEMD: Profile = Profile {
    name: "systemd",
    words: &["systemd", "systemctl"],
    env: &[
        ("SERVICE", "the unit's name, also its folder under /opt", "shop"),
        ("VERSION", "the version that is deployed", "1.4.0"),
        ("ARCHIVE", "the archive with that version", "./shop-1.4.0.tar.gz"),
    ],
    steps: &[
        Step {
            name: "Note the running version",
            command: "readlink -f \"/opt/$SERVICE/current\" | sudo tee \"/opt/$SERVICE/previous\"",
            verify: "test -d \"$(cat \"/opt/$SERVICE/previous\")\"",
            rollback: "sudo rm -f -- \"/opt/$SERVICE/previous\"",
        },
        Step {
            name: "Unpack the new version",
            command: "sudo mkdir -p \"/opt/$SERVICE/releases/$VERSION\"\nsudo tar -xzf \"$ARCHIVE\" -C \"/opt/$SERVICE/releases/$VERSION\"",
            verify: "test -n \"$(ls -A \"/opt/$SERVICE/releases/$VERSION\")\"",
            rollback: "sudo rm -rf -- \"/opt/${SERVICE:?}/releases/${VERSION:?}\"",
        },
        Step {
            name: "Make the new version the current one",
            command: "sudo ln -sfn \"/opt/$SERVICE/releases/$VERSION\" \"/opt/$SERVICE/current\"",
            verify: "test \"$(readlink -f \"/opt/$SERVICE/current\")\" = \"/opt/$SERVICE/releases/$VERSION\"",
            rollback: "sudo ln -sfn \"$(cat \"/opt/$SERVICE/previous\")\" \"/opt/$SERVICE/current\"\nsudo systemctl start \"$SERVICE\"\nsystemctl is-active --quiet \"$SERVICE\"",
        },
        Step {
            name: "Restart the service",
            command: "sudo systemctl daemon-reload\nsudo systemctl restart \"$SERVICE\"",
            verify: "systemctl is-active --quiet \"$SERVICE\"",
            rollback: "sudo systemctl stop \"$SERVICE\"",
        },
    ],
    trouble: &[
        (
            "The service does not start",
            "systemctl status --no-pager \"$SERVICE\"\njournalctl --unit \"$SERVICE\" --lines 100 --no-pager",
        ),
        (
            "It starts again and again",
            "systemctl show \"$SERVICE\" --property NRestarts,Result,ExecMainStatus\nsudo systemctl reset-failed \"$SERVICE\"",
        ),
        ("Its unit is refused", "systemd-analyze verify \"/etc/systemd/system/$SERVICE.service\""),
        ("Its port is taken", "sudo ss --listening --tcp --processes"),
    ],
};

const COMPOSE: Profile = Profile {
    name: "docker compose",
    words: &["docker", "compose", "docker-compose"],
    env: &[
        ("SERVICE", "the service's name in the compose file", "shop"),
        ("VERSION", "the tag that is deployed; the compose file's image ends in it", "1.4.0"),
        ("PREVIOUS_VERSION", "the tag that runs now", "1.3.2"),
    ],
    steps: &[
        Step {
            name: "Check the compose file",
            command: "docker compose config --quiet",
            verify: "docker compose config --services | grep -Fxq -- \"$SERVICE\"",
            rollback: NOTHING,
        },
        Step {
            name: "Pull the image",
            command: "VERSION=\"$VERSION\" docker compose pull \"$SERVICE\"",
            verify: "docker image inspect \"$(VERSION=\"$VERSION\" docker compose config --images \"$SERVICE\")\" > /dev/null",
            rollback: "docker image rm \"$(VERSION=\"$VERSION\" docker compose config --images \"$SERVICE\")\"",
        },
        Step {
            name: "Start the new version",
            command: "VERSION=\"$VERSION\" docker compose up --detach --no-deps --wait \"$SERVICE\"",
            verify: "docker compose ps --status running --services | grep -Fxq -- \"$SERVICE\"",
            rollback: "VERSION=\"$PREVIOUS_VERSION\" docker compose up --detach --no-deps --wait \"$SERVICE\"",
        },
    ],
    trouble: &[
        (
            "The container does not become healthy",
            "docker compose ps --all \"$SERVICE\"\ndocker compose logs --tail 100 \"$SERVICE\"",
        ),
        (
            "The image cannot be pulled",
            "VERSION=\"$VERSION\" docker compose config --images \"$SERVICE\"\ndocker login",
        ),
        ("The disk is full", "docker system df\ndocker image prune"),
        (
            "A setting is not what it should be",
            "VERSION=\"$VERSION\" docker compose config \"$SERVICE\"",
        ),
    ],
};

const KUBERNETES: Profile = Profile {
    name: "kubernetes",
    words: &["kubernetes", "k8s", "kubectl"],
    env: &[
        ("NAMESPACE", "the namespace", "shop"),
        ("DEPLOYMENT", "the deployment's name", "web"),
        ("CONTAINER", "the container's name in its pods", "web"),
        ("IMAGE", "the image with its tag or digest", "example.org/shop/web:1.4.0"),
    ],
    steps: &[
        Step {
            name: "Check the cluster and the rights",
            command: "kubectl config current-context\nkubectl --namespace \"$NAMESPACE\" get deployment \"$DEPLOYMENT\"",
            verify: "kubectl --namespace \"$NAMESPACE\" auth can-i patch deployments",
            rollback: NOTHING,
        },
        Step {
            name: "Set the image and wait for the rollout",
            command: "kubectl --namespace \"$NAMESPACE\" set image \"deployment/$DEPLOYMENT\" \"$CONTAINER=$IMAGE\"\nkubectl --namespace \"$NAMESPACE\" rollout status \"deployment/$DEPLOYMENT\" --timeout 300s",
            verify: "kubectl --namespace \"$NAMESPACE\" get deployment \"$DEPLOYMENT\" --output 'jsonpath={.spec.template.spec.containers[*].image}' | grep -Fq -- \"$IMAGE\"",
            rollback: "kubectl --namespace \"$NAMESPACE\" rollout undo \"deployment/$DEPLOYMENT\"\nkubectl --namespace \"$NAMESPACE\" rollout status \"deployment/$DEPLOYMENT\" --timeout 300s",
        },
        Step {
            name: "See that it is available",
            command: "kubectl --namespace \"$NAMESPACE\" get pods --output wide",
            verify: "kubectl --namespace \"$NAMESPACE\" wait --for condition=Available \"deployment/$DEPLOYMENT\" --timeout 60s",
            rollback: NOTHING,
        },
    ],
    trouble: &[
        (
            "The rollout does not finish",
            "kubectl --namespace \"$NAMESPACE\" describe \"deployment/$DEPLOYMENT\"\nkubectl --namespace \"$NAMESPACE\" get events --sort-by .lastTimestamp",
        ),
        (
            "A pod starts again and again",
            "kubectl --namespace \"$NAMESPACE\" logs \"deployment/$DEPLOYMENT\" --container \"$CONTAINER\" --previous --tail 100",
        ),
        (
            "The image cannot be pulled",
            "kubectl --namespace \"$NAMESPACE\" get serviceaccount default --output yaml\nkubectl --namespace \"$NAMESPACE\" get secrets",
        ),
        (
            "Pods stay pending",
            "kubectl describe nodes\nkubectl --namespace \"$NAMESPACE\" get resourcequota",
        ),
    ],
};

const STATIC: Profile = Profile {
    name: "static site",
    words: &["static", "nginx", "website", "rsync"],
    env: &[
        (
            "SITE_ROOT",
            "the folder that has the releases and the link current, which the web server serves",
            "/srv/www/shop",
        ),
        ("BUILD", "the folder with the built site", "./dist"),
        ("VERSION", "the version that is deployed", "1.4.0"),
    ],
    steps: &[
        Step {
            name: "Check the build",
            command: "find \"$BUILD\" -type f | wc -l",
            verify: "test -s \"$BUILD/index.html\"",
            rollback: NOTHING,
        },
        Step {
            name: "Copy the build beside the running version",
            command: "mkdir -p \"$SITE_ROOT/releases/$VERSION\"\nrsync --archive --delete -- \"$BUILD/\" \"$SITE_ROOT/releases/$VERSION/\"",
            verify: "diff --recursive --brief \"$BUILD\" \"$SITE_ROOT/releases/$VERSION\"",
            rollback: "rm -rf -- \"${SITE_ROOT:?}/releases/${VERSION:?}\"",
        },
        Step {
            name: "Switch to the new version",
            command: "readlink -f \"$SITE_ROOT/current\" > \"$SITE_ROOT/previous\"\nln -sfn \"$SITE_ROOT/releases/$VERSION\" \"$SITE_ROOT/current\"",
            verify: "test \"$(readlink -f \"$SITE_ROOT/current\")\" = \"$(readlink -f \"$SITE_ROOT/releases/$VERSION\")\"",
            rollback: "ln -sfn \"$(cat \"$SITE_ROOT/previous\")\" \"$SITE_ROOT/current\"",
        },
    ],
    trouble: &[
        (
            "The old pages are still shown",
            "readlink -f \"$SITE_ROOT/current\"\nls -l \"$SITE_ROOT\"",
        ),
        ("The server answers 403", "namei -l \"$SITE_ROOT/current/index.html\""),
        ("The server answers 404", "find \"$SITE_ROOT/current/\" -maxdepth 1"),
        ("The disk is full", "df -h \"$SITE_ROOT\"\ndu -sh \"$SITE_ROOT/releases\""),
    ],
};

const PROFILES: [&Profile; 4] = [&SYSTEMD, &COMPOSE, &KUBERNETES, &STATIC];

/// The names of the targets.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name)
}

/// The target that a text means: the first one that a word of it names.
pub(super) fn find(target: &str) -> Option<&'static Profile> {
    let lower = target.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    PROFILES.into_iter().find(|profile| profile.words.iter().any(|word| words.contains(word)))
}
