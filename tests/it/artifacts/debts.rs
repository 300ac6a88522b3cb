//! `tech-debt-register`: scores and order are recomputed.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::make;

const SKILL: &str = "tech-debt-register";

/// The numbers of the items of a list, which are in their titles.
fn numbers(list: &Value) -> Vec<usize> {
    let titles = list["rows"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap());
    titles.map(|title| title.rsplit(' ').next().unwrap().parse().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn scores_and_order_are_those_of_the_figures(all in proptest::collection::vec((1..6_u64, 1..6_u64, 0..6_u64), 0..12)) {
        let item = |(at, (impact, urgency, effort)): (usize, &(u64, u64, u64))| {
            let mut item = json!({"title": format!("Item {at}"), "place": ".", "impact": impact, "urgency": urgency});
            if *effort > 0 {
                item["effort"] = json!(effort);
            }
            item
        };
        let items: Vec<Value> = all.iter().enumerate().map(item).collect();
        let output = make(SKILL, json!({"items": items})).unwrap();
        let order = numbers(&output.data["scored"]);
        // Compared with every other pair, in integers: a / b > c / d if a d > c b.
        for (place, one) in order.iter().enumerate() {
            for other in &order[place + 1..] {
                let ((i, u, e), (j, v, f)) = (all[*one], all[*other]);
                let (left, right) = (i * u * f, j * v * e);
                prop_assert!(left > right || (left == right && one < other), "{:?}", order);
            }
        }
        let rest = numbers(&output.data["unscored"]);
        let bare: Vec<usize> = (0..all.len()).filter(|at| all[*at].2 == 0).collect();
        prop_assert_eq!(order.len() + rest.len(), all.len());
        prop_assert_eq!(rest, bare);
        for row in output.data["scored"]["rows"].as_array().unwrap() {
            let figure = |name: &str| row[name].as_f64().unwrap();
            let score = figure("impact") * figure("urgency") / figure("effort");
            prop_assert!((figure("score") - score).abs() <= 0.005, "{}", row);
        }
    }
}
